/**
 * Custom attributes: typed values that an app sets on its devices, `{"<name>": {"type", "value"}}`. The schema
 * converts them to the form in which they are stored, returned and filtered.
 */
import { z } from 'zod';
import { numberText } from '../json/lossless.ts';
import { parseInstant, WRITTEN_INSTANT } from '../time/instant.ts';
import { isWithin, text } from '../api/parse.ts';

export const CUSTOM_ATTRIBUTES_MAX = 50;
const CHARACTERS_MAX = 255;
export const ELEMENTS_MAX = 100;

/** One value as it is stored; an integer that a double cannot hold is kept as raw JSON (see `json/lossless.ts`). */
type Scalar = string | number | boolean | { readonly rawJSON: string };

/**
 * Describes the values of each type for the OpenAPI document. `read` decides what is valid, because numbers have to
 * stay exact.
 */
const kinds = {
  string: {
    read: (value: unknown) =>
      typeof value === 'string' && isWithin(value, 0, CHARACTERS_MAX) ? value : undefined,
    rule: `must be text of at most ${CHARACTERS_MAX} characters`,
    documented: { type: 'string', maxLength: CHARACTERS_MAX },
  },
  integer: {
    read: readInteger,
    rule: 'must be a whole number from -2^63 to 2^63 - 1',
    // Validators that read numbers as doubles see 2^63 - 1 as 2^63.
    documented: { type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 },
  },
  float: {
    read: readFloat,
    rule: 'must be a number that a double can hold',
    documented: { type: 'number', format: 'double' },
  },
  date: {
    read: (value: unknown) => (typeof value === 'string' ? parseInstant(value)?.toISOString() : undefined),
    rule: 'must be an ISO 8601 date or date-time',
    documented: { type: 'string', pattern: WRITTEN_INSTANT.source },
  },
  boolean: {
    read: (value: unknown) => (typeof value === 'boolean' ? value : undefined),
    rule: 'must be true or false, not an array',
    documented: { type: 'boolean' },
  },
} as const;

type AttributeType = keyof typeof kinds;

interface CustomAttribute {
  type: AttributeType;
  value: Scalar | Scalar[];
}

/** The attributes of each type, as a request contains them. */
const customAttribute = z
  .discriminatedUnion(
    'type',
    [
      attributeOf('string', 'StringAttribute'),
      attributeOf('integer', 'IntegerAttribute'),
      attributeOf('float', 'FloatAttribute'),
      attributeOf('date', 'DateAttribute'),
      attributeOf('boolean', 'BooleanAttribute'),
    ],
    {
      error: (issue) =>
        issue.code === 'invalid_union' ? 'must be string, integer, float, date or boolean' : undefined,
    },
  )
  .meta({ id: 'CustomAttribute' });

/** A change of custom attributes: a value sets an attribute, null removes it, and attributes that are left out stay. */
export const customChange = z
  .record(text(CHARACTERS_MAX, 1), customAttribute.nullable())
  .refine(
    (change) => Object.values(change).filter((value) => value !== null).length <= CUSTOM_ATTRIBUTES_MAX,
    `must leave a device with at most ${CUSTOM_ATTRIBUTES_MAX} custom attributes`,
  )
  .describe(
    'A value sets an attribute, null removes it, and attributes that are left out stay. A device has at most ' +
      `${CUSTOM_ATTRIBUTES_MAX}.`,
  )
  .meta({ id: 'CustomAttributes' });

export type CustomChange = z.output<typeof customChange>;

/** The custom attributes of a new device after the change. */
export function attributesSet(change: CustomChange | null | undefined): CustomChange {
  if (change === null || change === undefined) return {};
  if (!Object.values(change).includes(null)) return change;
  return Object.fromEntries(Object.entries(change).filter(([, set]) => set !== null));
}

function attributeOf<Type extends AttributeType>(type: Type, id: string) {
  const { documented } = kinds[type];
  const list = { type: 'array', items: documented, minItems: 1, maxItems: ELEMENTS_MAX };
  const value = z
    .unknown()
    .transform((sent, context) => readValue(type, sent, context))
    .meta(type === 'boolean' ? documented : { anyOf: [documented, list] });
  return z.strictObject({ type: z.literal(type), value }).meta({ id });
}

function readValue(type: AttributeType, value: unknown, context: z.RefinementCtx): CustomAttribute['value'] {
  if (!Array.isArray(value) || type === 'boolean') return readScalar(type, value, [], context);
  if (value.length === 0 || value.length > ELEMENTS_MAX) {
    context.addIssue({ code: 'custom', message: `must have 1 to ${ELEMENTS_MAX} elements` });
    return z.NEVER;
  }
  return value.map((element, index) => readScalar(type, element, [index], context));
}

function readScalar(
  type: AttributeType,
  value: unknown,
  path: PropertyKey[],
  context: z.RefinementCtx,
): Scalar {
  const { read, rule } = kinds[type];
  const scalar = read(value);
  if (scalar !== undefined) return scalar;
  context.addIssue({ code: 'custom', path, message: rule });
  return z.NEVER;
}

/**
 * `1.0` and `1e3` count as whole numbers too, as long as a double holds them exactly: `parseJson` returns a double only
 * if it reproduces the number's text, and raw JSON otherwise.
 */
function readInteger(value: unknown): Scalar | undefined {
  const digits = numberText(value);
  if (digits === undefined || !/^-?\d{1,19}$/.test(digits)) return undefined;
  const exact = BigInt(digits);
  if (BigInt.asIntN(64, exact) !== exact) return undefined;
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : JSON.rawJSON(String(exact));
}

function readFloat(value: unknown): number | undefined {
  const decimal = numberText(value);
  if (decimal === undefined) return undefined;
  const number = Number(decimal);
  return Number.isFinite(number) ? number : undefined;
}

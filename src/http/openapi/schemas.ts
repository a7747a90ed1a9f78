/** The named schemas of bodies and replies, and their conversion to JSON Schema. A schema is named where it stands: `meta({ id })`. */
import { z } from 'zod';

/** The part of JSON Schema 2020-12 that zod generates. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const PREFIX = '#/components/schemas/';
/** Schemas in the document have neither of these keys. */
const dialectKeys: ReadonlySet<string> = new Set(['$schema', '$id']);

/** The reference to a schema in the document. @throws {Error} if it has no name */
export function refTo(schema: z.ZodType): string {
  return `${PREFIX}${nameOf(schema)}`;
}

function nameOf(schema: z.ZodType): string {
  const { id } = schema.meta() ?? {};
  if (id === undefined)
    throw new Error(`a body or a reply has a schema without an id: ${JSON.stringify(schema)}`);
  return id;
}

/**
 * Schemas by name, with the schemas that they contain; schemas refer to each other by name. @throws {Error} if two have
 * one name
 */
export function namedSchemas(schemas: {
  sent: readonly z.ZodType[];
  returned: readonly z.ZodType[];
}): Record<string, JsonSchema> {
  const inRequests = convert(schemas.sent, 'input');
  const inReplies = convert(schemas.returned, 'output');
  for (const [name, schema] of Object.entries(inReplies)) {
    const other = inRequests[name];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema)) {
      throw new Error(`the schema ${name} differs between requests and replies`);
    }
  }
  return { ...inRequests, ...inReplies };
}

/** The JSON Schema of the value to which the text of a parameter is parsed. */
export function parameterSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any', // a transform has no JSON Schema; `meta` gives the type of its result
  });
  return converted;
}

function convert(named: readonly z.ZodType[], io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const schema of named) registry.add(schema, { id: nameOf(schema) });
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `${PREFIX}${id}`, override });
  // Schemas with an id that are inside others come as `__shared`.
  const { __shared: shared, ...own } = schemas;
  const all = { ...own, ...shared?.$defs };
  const text = JSON.stringify(all, (key, value: unknown) => (dialectKeys.has(key) ? undefined : value));
  const converted: Record<string, JsonSchema> = JSON.parse(
    text.replaceAll(`${PREFIX}__shared#/$defs/`, PREFIX),
  );
  return converted;
}

/** Drops limits that restrict nothing, calls a whole number by that name, and shortens `anyOf` with null to a list of types. */
function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (Number.isInteger(jsonSchema.const)) jsonSchema.type = 'integer';
  const [value, orNull, ...others] = jsonSchema.anyOf ?? [];
  if (orNull?.type !== 'null' || others.length > 0 || value?.type === undefined) return;
  if (value.type === 'object' || value.type === 'array') return; // easier to read as `anyOf`
  if (value.enum !== undefined || value.const !== undefined) return; // these would exclude null
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, { ...value, ...jsonSchema, type: [value.type, 'null'] });
}

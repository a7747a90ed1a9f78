/** Reads the OpenAPI document: the calls that a back end makes, and the types of their bodies and replies. */

/** The headings of the calls that a back end makes. What the console alone needs is not below them. */
const TAGS: ReadonlySet<string> = new Set([
  'Notifications',
  'Audiences',
  'Devices',
  'Users',
  'Channels',
  'Webhooks',
]);
const VERSION = '/v6/';
/** Without a version, and read by the console while nobody can sign in. */
const READINESS = '/readyz';
const PREFIX = '#/components/schemas/';

export type Shape =
  | { kind: 'text'; values?: string[]; isTime?: boolean }
  | { kind: 'integer'; isLong?: boolean }
  | { kind: 'number' | 'boolean' | 'any' }
  | { kind: 'list' | 'map' | 'nullable'; of: Shape }
  | { kind: 'named'; name: string }
  | { kind: 'union'; of: Shape[] };

export interface Field {
  name: string;
  shape: Shape;
  isRequired: boolean;
  doc: string;
}

/** A named schema. `fields` are those of an object; `isOpen` says that it takes keys of the app as well. */
export interface Type {
  name: string;
  doc: string;
  shape: Shape;
  fields?: Field[];
  isOpen: boolean;
  isSent: boolean;
}

/** How often a call may be sent: see `Repeat` of the server. */
export type Repeat = 'reads' | 'idempotent' | 'keyed' | 'only-after-429';

export interface Call {
  id: string;
  method: string;
  path: string;
  doc: string;
  repeat: Repeat;
  parameters: string[];
  query: Field[];
  hasKey: boolean;
  /** `lines`: any number of values, which are sent as they are made. */
  body?: { name: string; as: 'json' | 'lines' };
  /** `lines` and `events`: values that are read as they come. Without a reply there is nothing to read. */
  reply?: { name: string; as: 'json' | 'lines' | 'events' };
  /** Whether a success may have nothing to read although there is a reply. */
  mayBeEmpty: boolean;
}

export interface Api {
  calls: Call[];
  /** In the order of the document. */
  types: ReadonlyMap<string, Type>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: string[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  contentSchema?: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-carillon-repeat': Repeat;
  parameters: { name: string; in: string; required: boolean; description: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/**
 * Reads the calls of the newest version.
 * @param text the document
 * @param caller whose calls they are; the console makes all, and the types of what it sends are left out
 * @throws {Error} for what no client could express, such as a part of a reply without a name
 */
export function readApi(text: string, caller: 'client' | 'console' = 'client'): Api {
  const document: Document = JSON.parse(text);
  const calls = Object.entries(document.paths).flatMap(([at, byMethod]) =>
    Object.entries(byMethod)
      .filter(([, { tags }]) =>
        caller === 'console'
          ? at.startsWith(VERSION) || at === READINESS
          : at.startsWith(VERSION) && tags.some((tag) => TAGS.has(tag)),
      )
      .map(([method, operation]) => callOf(at, method, operation)),
  );
  const { schemas } = document.components;
  const sent = reached(schemas, calls, ({ body }) => (caller === 'console' ? undefined : body?.name));
  const used = new Set([...sent, ...reached(schemas, calls, ({ reply }) => reply?.name)]);
  const named = Object.entries(schemas).filter(([name]) => used.has(name));
  return {
    calls,
    types: new Map(named.map(([name, schema]) => [name, typeOf(name, schema, sent.has(name))])),
  };
}

function callOf(at: string, method: string, operation: Operation): Call {
  const { operationId: id, summary, description, parameters } = operation;
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const body = contentOf(id, operation.requestBody?.content);
  const replies = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const reply = contentOf(id, replies.find(([, { content }]) => content !== undefined)?.[1].content);
  return {
    id,
    method: method.toUpperCase(),
    path: at,
    doc: `${summary}. ${description}`.replaceAll('\n\n', ' '),
    repeat: operation['x-carillon-repeat'],
    parameters: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    query: inQuery
      .filter(({ name }) => name !== 'format') // lines are the only form that a client reads
      .map(({ name, description: doc, schema, required: isRequired }) => ({
        name,
        shape: shapeOf(schema, `${id}.${name}`),
        isRequired,
        doc,
      })),
    hasKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    ...(body !== undefined && { body: { name: body.name, as: body.as === 'json' ? 'json' : 'lines' } }),
    ...(reply !== undefined && reply.name !== 'Nothing' && { reply }),
    mayBeEmpty: replies.some(([, { content }]) => content === undefined),
  };
}

function contentOf(id: string, content: Content | undefined): Call['reply'] {
  const json = content?.['application/json']?.schema.$ref;
  if (json !== undefined) return { name: nameIn(json), as: 'json' };
  for (const [mediaType, as] of [
    ['application/x-ndjson', 'lines'],
    ['text/event-stream', 'events'],
  ] as const) {
    const each = content?.[mediaType]?.schema.contentSchema?.$ref;
    if (each !== undefined) return { name: nameIn(each), as };
  }
  if (content !== undefined)
    throw new Error(`${id} has a body that is neither JSON nor lines of a known type`);
  return undefined;
}

/** The names of the schemas that the bodies of the calls contain. */
function reached(
  schemas: Document['components']['schemas'],
  calls: readonly Call[],
  nameOf: (call: Call) => string | undefined,
): Set<string> {
  const found = new Set<string>();
  const waiting = calls.map(nameOf).filter((name) => name !== undefined);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const [, ref = ''] of JSON.stringify(schemas[name]).matchAll(/"\$ref":"([^"]+)"/g))
      waiting.push(nameIn(ref));
  }
  return found;
}

function typeOf(name: string, schema: Schema, isSent: boolean): Type {
  const { description: doc = '', properties, required = [], additionalProperties } = schema;
  const fields =
    properties &&
    Object.entries(properties).map(([field, each]) => ({
      name: field,
      shape: shapeOf(each, `${name}.${field}`),
      isRequired: required.includes(field),
      doc: (each.description ?? '').replaceAll(/\s+/g, ' '),
    }));
  const isOpen = fields !== undefined && additionalProperties !== undefined && additionalProperties !== false;
  const shape: Shape = fields === undefined ? shapeOf(schema, name) : { kind: 'named', name };
  return { name, doc: doc.replaceAll(/\s+/g, ' '), shape, ...(fields && { fields }), isOpen, isSent };
}

function shapeOf(schema: Schema, where: string): Shape {
  const { $ref, enum: values, anyOf, oneOf, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return { kind: 'named', name: nameIn($ref) };
  if (values !== undefined) return { kind: 'text', values };
  if (typeof schema.const === 'string') return { kind: 'text', values: [schema.const] };
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return unionOf(forms, where);
  if (Array.isArray(schema.type))
    return unionOf(
      schema.type.map((type) => ({ ...schema, type })),
      where,
    );
  if (properties !== undefined && Object.keys(properties).length > 0) {
    throw new Error(`${where} is an object without a name: give its schema one with meta({ id })`);
  }
  switch (String(schema.type)) {
    case 'string':
      return { kind: 'text', ...(schema.format === 'date-time' && { isTime: true }) };
    case 'integer':
      return { kind: 'integer', ...(schema.format === 'int64' && { isLong: true }) };
    case 'number':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return { kind: 'list', of: items === undefined ? { kind: 'any' } : shapeOf(items, where) };
    case 'object': {
      const of: Shape =
        typeof additionalProperties === 'object' ? shapeOf(additionalProperties, where) : { kind: 'any' };
      return { kind: 'map', of };
    }
    default:
      return { kind: typeof schema.const === 'boolean' ? 'boolean' : 'any' };
  }
}

function unionOf(forms: readonly Schema[], where: string): Shape {
  const others = forms.filter(({ type }) => type !== 'null').map((form) => shapeOf(form, where));
  const distinct = [...new Map(others.map((shape) => [JSON.stringify(shape), shape])).values()];
  const [first] = distinct;
  const of: Shape = first !== undefined && distinct.length === 1 ? first : { kind: 'union', of: distinct };
  return others.length < forms.length ? { kind: 'nullable', of } : of;
}

function nameIn(ref: string): string {
  return ref.slice(PREFIX.length);
}

/** `device_id` as `deviceId`. */
export function camel(name: string): string {
  return name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of the type of a call's query. */
export function queryName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`;
}

/** What a field is, and the values that it may have, for languages whose types do not list them. */
export function docWithValues({ doc, shape }: Field): string {
  const values = valuesIn(shape);
  return [doc, values.length > 0 ? `One of ${values.join(', ')}.` : ''].join(' ').trim();
}

function valuesIn(shape: Shape): string[] {
  if (shape.kind === 'text') return shape.values ?? [];
  return shape.kind === 'list' || shape.kind === 'nullable' ? valuesIn(shape.of) : [];
}

/**
 * The fields of a union of objects as one object, for languages without unions: what not all forms have may be left out.
 * @returns undefined if a form is no object
 */
export function mergedFields({ shape }: Type, types: Api['types']): Field[] | undefined {
  if (shape.kind !== 'union') return undefined;
  const forms = shape.of.map((form) => (form.kind === 'named' ? types.get(form.name)?.fields : undefined));
  const known = forms.filter((fields) => fields !== undefined);
  if (known.length < forms.length) return undefined;
  const names = [...new Set(known.flatMap((fields) => fields.map(({ name }) => name)))];
  return names.map((name) => {
    const found = known.flatMap((fields) => fields.filter((field) => field.name === name));
    const [first, ...others] = found;
    if (first === undefined) throw new Error(`no form has ${name}`);
    const shapes = [...new Map(found.map((field) => [JSON.stringify(field.shape), field.shape])).values()];
    const isRequired = found.length === known.length && found.every((field) => field.isRequired);
    const isSame = others.every(({ doc }) => doc === first.doc);
    return { name, shape: shapes.reduce(commonShape), isRequired, doc: isSame ? first.doc : '' };
  });
}

/** The names of the objects that stand only in such a union. */
export function mergedAway(types: Api['types']): Set<string> {
  const away = new Set<string>();
  for (const type of types.values()) {
    if (mergedFields(type, types) === undefined || type.shape.kind !== 'union') continue;
    for (const form of type.shape.of) if (form.kind === 'named') away.add(form.name);
  }
  return away;
}

function commonShape(one: Shape, other: Shape): Shape {
  if (one.kind === 'nullable' || other.kind === 'nullable') {
    return { kind: 'nullable', of: commonShape(inside(one), inside(other)) };
  }
  if (one.kind === 'list' && other.kind === 'list')
    return { kind: 'list', of: commonShape(one.of, other.of) };
  if (one.kind === 'text' && other.kind === 'text') {
    if (one.values === undefined || other.values === undefined) return { kind: 'text' };
    return { kind: 'text', values: [...new Set([...one.values, ...other.values])] };
  }
  return JSON.stringify(one) === JSON.stringify(other) ? one : { kind: 'any' };
}

function inside(shape: Shape): Shape {
  return shape.kind === 'nullable' ? shape.of : shape;
}

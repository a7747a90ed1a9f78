/** Writes the Java client: a class over the JSON of each object, a method for each call. */
import {
  type Api,
  type Call,
  camel,
  docWithValues,
  type Field,
  mergedAway,
  mergedFields,
  queryName,
  type Shape,
  type Type,
} from './api.ts';

const PACKAGE = 'io.github.carillonpush';
const HEAD = '// Made by clients/generator from openapi.json.\n';
const FOLDER = 'java/src/main/java/io/github/carillonpush';
/** Written by hand, with a factory for each form. */
const BY_HAND: ReadonlyMap<string, string> = new Map([
  ['NotificationTarget', 'Target'],
  ['Filter', 'Filter'],
  ['CustomAttribute', 'CustomAttribute'],
]);

export function javaFiles({ calls, types }: Api): Map<string, string> {
  const away = mergedAway(types);
  const files = new Map([[`${FOLDER}/Calls.java`, callsText(calls, types)]]);
  for (const type of types.values()) {
    const fields = type.fields ?? mergedFields(type, types);
    if (fields === undefined || away.has(type.name) || BY_HAND.has(type.name)) continue;
    files.set(`${FOLDER}/model/${type.name}.java`, classText(type, fields, types));
  }
  for (const { id, query } of calls) {
    if (query.length === 0) continue;
    const type = {
      name: queryName(id),
      doc: 'What to read; a field that is not set is left out.',
      isOpen: false,
    };
    files.set(`${FOLDER}/model/${type.name}.java`, classText({ ...type, isSent: true }, query, types));
  }
  return files;
}

function classText(
  { name, doc, isOpen, isSent }: Pick<Type, 'name' | 'doc' | 'isOpen' | 'isSent'>,
  fields: readonly Field[],
  types: Api['types'],
): string {
  const members = fields.map((field) => fieldText(name, field, isSent, types));
  if (isOpen) {
    members.push(
      `  /** A key of the app. */\n  public ${name} with(String key, Object value) { put(key, value); return this; }\n`,
    );
  }
  const text = `${docText(doc, '')}public final class ${name} extends Model {
${isSent ? `  public ${name}() {}\n\n` : ''}  public ${name}(JsonNode json) { super(json); }

${members.join('\n')}}
`;
  return `${HEAD}package ${PACKAGE}.model;\n\n${importsOf(text, true)}${text}`;
}

/** A getter, and a setter if it is sent. */
function fieldText(of: string, field: Field, isSent: boolean, types: Api['types']): string {
  const { name, shape } = field;
  const method = camel(name.replace(/^_/, ''));
  const type = written(shape, types);
  const comment = docText(docWithValues(field), '  ');
  const getter = `${comment}  public ${type} ${method}() { return get("${name}", ${reader(shape, types)}); }\n`;
  if (!isSent) return getter;
  const given =
    type === 'JsonNode' ? 'Object' : shape.kind === 'nullable' ? type : (PRIMITIVES.get(type) ?? type);
  return `${getter}  public ${of} ${method}(${given} value) { put("${name}", value); return this; }\n`;
}

/** So that a literal without a point is a number as well. */
const PRIMITIVES: ReadonlyMap<string, string> = new Map([
  ['Double', 'double'],
  ['Integer', 'int'],
  ['Boolean', 'boolean'],
]);

function docText(doc: string, indent: string): string {
  if (doc === '') return '';
  const text = doc
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('*/', '*&#47;')
    .replaceAll('@', '&#64;');
  return `${indent}/** ${text} */\n`;
}

/** The type of a shape, and the function that reads it. */
function written(shape: Shape, types: Api['types']): string {
  switch (shape.kind) {
    case 'text':
      return shape.isTime === true ? 'Instant' : 'String';
    case 'integer':
      return shape.isLong === true ? 'Long' : 'Integer';
    case 'number':
      return 'Double';
    case 'boolean':
      return 'Boolean';
    case 'any':
    case 'union':
      return 'JsonNode';
    case 'list':
      return `List<${written(shape.of, types)}>`;
    case 'map':
      return `Map<String, ${written(shape.of, types)}>`;
    case 'nullable':
      return written(shape.of, types);
    case 'named': {
      const byHand = BY_HAND.get(shape.name);
      if (byHand !== undefined) return byHand;
      const type = types.get(shape.name);
      const isClass = type === undefined || (type.fields ?? mergedFields(type, types)) !== undefined;
      return isClass ? shape.name : written(type.shape, types);
    }
  }
}

function reader(shape: Shape, types: Api['types']): string {
  if (shape.kind === 'nullable') return reader(shape.of, types);
  if (shape.kind === 'list' || shape.kind === 'map') return `${shape.kind}(${reader(shape.of, types)})`;
  if (shape.kind === 'named') {
    const name = written(shape, types);
    const type = types.get(shape.name);
    const isAlias = !BY_HAND.has(shape.name) && type !== undefined && name !== shape.name;
    return isAlias ? reader(type.shape, types) : `${name}::new`;
  }
  const readers: Record<string, string> = {
    Instant: 'value -> Instant.parse(value.asText())',
    String: 'JsonNode::asText',
    Long: 'JsonNode::asLong',
    Integer: 'JsonNode::asInt',
    Double: 'JsonNode::asDouble',
    Boolean: 'JsonNode::asBoolean',
  };
  return readers[written(shape, types)] ?? 'value -> value';
}

function importsOf(text: string, isModel: boolean): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  const has = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(code);
  const all = [
    ...(has('JsonNode') ? ['com.fasterxml.jackson.databind.JsonNode'] : []),
    ...(isModel
      ? ['CustomAttribute', 'Filter', 'Model', 'Target'].filter(has).map((name) => `${PACKAGE}.${name}`)
      : []),
    ...(isModel ? [] : [`${PACKAGE}.model.*`]),
    ...(has('Instant') ? ['java.time.Instant'] : []),
    ...(has('List') ? ['java.util.List'] : []),
    ...(has('Map') ? ['java.util.Map'] : []),
    ...(has('Stream') ? ['java.util.stream.Stream'] : []),
  ];
  return `${all.map((name) => `import ${name};\n`).join('')}\n`;
}

function callsText(calls: readonly Call[], types: Api['types']): string {
  const text = `/** The calls of a back end. */
abstract class Calls extends Transport {
  Calls(Settings settings) {
    super(settings);
  }

${calls.map((call) => callText(call, types)).join('\n')}}
`;
  return `${HEAD}package ${PACKAGE};\n\n${importsOf(text, false)}${text}`;
}

function callText(call: Call, types: Api['types']): string {
  const { id, method, path, doc, repeat, parameters, query, hasKey, body, reply, mayBeEmpty } = call;
  const at = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 1 ? `segment(${camel(part)})` : `"${part}"`))
    .filter((part) => part !== '""')
    .join(' + ');
  const given = bodyOf(call, types);
  const needed = [
    ...parameters.map((name) => `String ${camel(name)}`),
    ...(given === undefined ? [] : [`${given.type} ${given.name}`]),
  ];
  const optional = [
    ...(query.length > 0 ? [`${queryName(id)} query`] : []),
    ...(hasKey ? ['String idempotencyKey'] : []),
  ];
  const may = `Repeat.${repeat.toUpperCase().replaceAll('-', '_')}`;
  const asked = query.length > 0 ? 'query' : 'null';
  const words = [
    `"${method}"`,
    at,
    may,
    asked,
    given?.sent ?? 'null',
    hasKey ? 'idempotencyKey' : 'null',
  ].join(', ');
  const name = reply?.name ?? '';
  const listed = types.get(name)?.shape;
  let type = name;
  let code = `return new ${name}(json(${words}));`;
  if (reply === undefined) [type, code] = ['void', `json(${words});`];
  else if (reply.as !== 'json') {
    [type, code] = [`Stream<${name}>`, `return ${reply.as}(${at}, ${asked}, ${name}::new);`];
  } else if (listed?.kind === 'list') {
    const item = written(listed.of, types);
    type = `List<${item}>`;
    code = `return list("${method}", ${at}, ${may}, ${given?.sent ?? 'null'}, ${item}::new);`;
  } else if (body?.as === 'lines') code = `return new ${name}(upload(${at}, items));`;
  else if (mayBeEmpty) {
    code = `JsonNode reply = json(${words});\n    return reply == null ? null : new ${name}(reply);`;
  }
  const head = docText(doc, '  ');
  const full = `${head}  public ${type} ${id}(${[...needed, ...optional].join(', ')}) {\n    ${code}\n  }\n`;
  if (optional.length === 0) return full;
  const names = [...needed.map((word) => word.split(' ').at(-1)), ...optional.map(() => 'null')].join(', ');
  return `${full}\n${head}  public ${type} ${id}(${needed.join(', ')}) {\n    return ${id}(${names});\n  }\n`;
}

/** The body, or its only field. */
function bodyOf(
  { body }: Call,
  types: Api['types'],
): { name: string; type: string; sent: string } | undefined {
  if (body === undefined) return undefined;
  if (body.as === 'lines') return { name: 'items', type: `Iterable<${body.name}>`, sent: 'items' };
  const [only, ...others] = types.get(body.name)?.fields ?? [];
  if (only !== undefined && others.length === 0) {
    const name = camel(only.name);
    return { name, type: written(only.shape, types), sent: `Map.of("${only.name}", ${name})` };
  }
  if (only !== undefined) return { name: 'body', type: body.name, sent: 'body' };
  return { name: 'items', type: written({ kind: 'named', name: body.name }, types), sent: 'items' };
}

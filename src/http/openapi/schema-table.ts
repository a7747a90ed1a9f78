/** A JSON Schema as people read it: a row a field, with its type, its limits and what it means. */
import { type Html, html, prose } from './html.ts';
import type { JsonSchema } from './schemas.ts';

type Schema = JsonSchema | boolean;

/** The fields of an object, or of each of the objects that it may be. */
export function schemaTable(schema: JsonSchema): Html {
  const about = schema.description === undefined ? html`` : html`<p>${prose(schema.description)}</p>`;
  const alternatives = schema.oneOf ?? [];
  if (alternatives.length > 0) return html`${about}${alternatives.map((each) => schemaTable(each))}`;
  const rows = rowsOf(schema, '');
  if (rows.length === 0)
    return html`${about}
      <p>${typeOf(schema)}</p>`;
  return html`${about}
    <table>
      <thead>
        <tr>
          <th>field</th>
          <th>takes</th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}

/** Fields of fields have their path for a name, `to.id`; those of a named schema are shown there. */
function rowsOf(schema: JsonSchema, path: string): Html[] {
  const rows: Html[] = [];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (typeof field === 'boolean') continue;
    const place = path === '' ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    rows.push(
      html`<tr>
        <td><code>${place}</code>${isRequired ? '' : html` <small>optional</small>`}</td>
        <td>${typeOf(field)}</td>
        <td>${prose(field.description ?? '')}</td>
      </tr>`,
      ...rowsOf(field, place),
    );
  }
  return rows;
}

/** What a value may be, in a line. */
export function typeOf(schema: Schema): Html {
  if (typeof schema === 'boolean') return html`anything`;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return html`<a href="#${name}">${name}</a>`;
  }
  const alternatives = schema.anyOf ?? [];
  if (alternatives.length > 0) return joined(alternatives.map(typeOf), ' or ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return joined(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' or ',
    );
  }
  const words = [schema.type ?? 'anything'].flat().map((name) => html`${name}`);
  return html`${joined(words, ' or ')}${elementsOf(schema)}${limitsOf(schema)}`;
}

/** What a list holds, or an object by keys of its own. */
function elementsOf({ type, items, properties, additionalProperties }: JsonSchema): Html {
  if (type === 'array' && items !== undefined && !Array.isArray(items)) return html` of ${typeOf(items)}`;
  if (type !== 'object') return html``;
  if (properties !== undefined && additionalProperties === false) {
    return html` <code>{${Object.keys(properties).join(', ')}}</code>`;
  }
  return properties === undefined && additionalProperties !== undefined
    ? html` by name, each ${typeOf(additionalProperties)}`
    : html``;
}

function limitsOf(schema: JsonSchema): Html {
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const limits = [
    between(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    between(minLength, maxLength, ' characters'),
    between(minItems, maxItems, ' elements'),
    schema.default === undefined ? '' : `${JSON.stringify(schema.default)} if left out`,
  ].filter((limit) => limit !== '');
  return limits.length === 0 ? html`` : html`<small>, ${limits.join(', ')}</small>`;
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined) return most === undefined ? '' : `at most ${most}${unit}`;
  return most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}

/** The document as a page: every call with its fields and examples. It runs no script and loads nothing. */
import { createHash } from 'node:crypto';
import type { ApiDocument, DocumentedOperation, DocumentedReply, Ref } from './document.ts';
import { type Html, html, prose } from './html.ts';
import type { Parameter } from './parameters.ts';
import { schemaTable, typeOf } from './schema-table.ts';

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { border: 1px solid var(--line); border-radius: 4px; overflow-x: auto; padding: 0.5rem 0.75rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; }
article { border-top: 1px solid var(--line); margin-top: 2rem; }
nav ul { columns: 20rem; list-style: none; padding: 0; }
summary { cursor: pointer; }
`;

/** As it stands, for its hash has to fit. */
const style: Html = { markup: `<style>${STYLE}</style>` };
const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** For the header `Content-Security-Policy`: nothing but the style that stands in the page. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Call {
  method: string;
  path: string;
  operation: DocumentedOperation;
}

export function renderPage(document: ApiDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]): Call => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const { info, tags, components } = document;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title} API</title>
        ${style}
      </head>
      <body>
        <h1>${info.title} API <small>${info.version}</small></h1>
        ${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
        <p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
        <nav>${tags.map(({ name }) => contents(name, calls))}</nav>
        <main>
          ${calls.map((call) => article(call, document))}
          <h2>Schemas</h2>
          ${Object.entries(components.schemas).map(
            ([name, schema]) =>
              html`<section>
                <h3 id="${name}">${name}</h3>
                ${schemaTable(schema)}
              </section>`,
          )}
        </main>
      </body>
    </html>`;
  return page.markup;
}

function contents(tag: string, calls: readonly Call[]): Html {
  const links = calls
    .filter(({ operation }) => operation.tags.includes(tag))
    .map(
      ({ method, path, operation }) =>
        html`<li>
          <a href="#${operation.operationId}"><code>${method} ${path}</code></a>
        </li>`,
    );
  return html`<h2>${tag}</h2>
    <ul>
      ${links}
    </ul>`;
}

function article({ method, path, operation }: Call, document: ApiDocument): Html {
  const scopes = operation.security.flatMap(({ apiKey = [] }) => apiKey);
  const permission =
    scopes.length === 0 ? html`No key is needed.` : prose(`Permission: \`${scopes.join('` or `')}\`.`);
  const replies = Object.entries(operation.responses).map(([status, reply]): [string, DocumentedReply] => [
    status,
    resolve(reply, document),
  ]);
  return html`<article id="${operation.operationId}">
    <h3><code>${method} ${path}</code></h3>
    <p><b>${prose(operation.summary)}.</b> ${prose(operation.description ?? '')} ${permission}</p>
    ${operation.parameters.length === 0 ? '' : parameterTable(operation.parameters)}
    ${
      operation.requestBody === undefined
        ? ''
        : html`<h4>Body</h4>
            <p>${prose(operation.requestBody.description ?? '')}</p>
            ${content(operation.requestBody)}`
    }
    <h4>Replies</h4>
    ${replies.filter(([status]) => status < '400').map(([status, reply]) => success(status, reply))}
    <table>
      <tbody>
        ${replies
          .filter(([status]) => status >= '400')
          .map(
            ([status, { description }]) =>
              html`<tr>
                <td>${status}</td>
                <td>${prose(description)}</td>
              </tr>`,
          )}
      </tbody>
    </table>
  </article>`;
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema, example }) =>
      html`<tr>
        <td><code>${name}</code> <small>in ${place}${required ? '' : ', optional'}</small></td>
        <td>${typeOf(schema)}</td>
        <td>
          ${prose(description)} <small>E.g. <code>${example}</code></small>
        </td>
      </tr>`,
  );
  return html`<h4>Parameters</h4>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}

function success(status: string, reply: DocumentedReply): Html {
  return html`<p>${status}: ${prose(reply.description)}</p>
    ${content(reply)}`;
}

/** The schema and the example of each media type. */
function content({ content: byType = {} }: Pick<DocumentedReply, 'content'>): Html {
  const parts = Object.entries(byType).map(
    ([mediaType, { schema, example }]) =>
      html`<details open>
        <summary>${mediaType}: ${typeOf(schema)}</summary>
        <pre>${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</pre>
      </details>`,
  );
  return html`${parts}`;
}

function resolve(reply: DocumentedReply | Ref, document: ApiDocument): DocumentedReply {
  if (!('$ref' in reply)) return reply;
  const name = reply.$ref.slice(reply.$ref.lastIndexOf('/') + 1);
  const found = document.components.responses[name];
  if (found === undefined) throw new Error(`the document has no reply ${name}`);
  return found;
}

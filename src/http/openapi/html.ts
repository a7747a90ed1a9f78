/** HTML put together so that text can never become markup. */

/** Markup that is safe as it stands; only `html` makes it. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template whose texts are escaped, also within quoted attributes. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = literals.map((literal, index) => literal + markupOf(parts[index] ?? '')).join('');
  return { markup };
}

/** The little Markdown that our descriptions have: `code`. */
export function prose(text: string): Html {
  const pieces = text
    .split('`')
    .map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`));
  return html`${pieces}`;
}

function markupOf(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

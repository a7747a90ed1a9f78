import { CopyButton } from '../copy.tsx';
import type { Content } from '../content.ts';

/** A name, a text, a number, a word, or the characters between them. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** JSON, indented and coloured, with a button that copies it. Numbers keep all their digits (see `parseExact`). */
export function JsonView({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div class="json">
      <pre class="code" tabindex={0} aria-label={label} role="region">
        {coloured(text)}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

function coloured(text: string) {
  const shown: Content[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, number, word] = match;
    shown.push(text.slice(end, match.index));
    if (colon !== undefined) shown.push(<span class="json-name">{string}</span>, colon);
    else if (string !== undefined) shown.push(<span class="json-text">{string}</span>);
    else shown.push(<span class="json-value">{number ?? word}</span>);
    end = match.index + whole.length;
  }
  shown.push(text.slice(end));
  return shown;
}

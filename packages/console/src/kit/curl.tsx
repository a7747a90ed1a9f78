/** Every call that the console makes can be shown as the line that does the same in a shell. */
import { useState } from 'preact/hooks';
import { type ApiCall, bodyOf, urlOf } from '../frame/api.ts';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import type { Content } from './content.ts';
import { Icon } from './icon.tsx';

/** @returns the shell line; the API key is in the variable CARILLON_KEY */
export function curlOf({ method, path, body, idempotencyKey }: ApiCall): string {
  const words = ['curl -u ":$CARILLON_KEY"'];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) words.push(`-X ${method}`);
  words.push(quoted(urlOf(path)));
  if (idempotencyKey !== undefined) words.push(`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`);
  if (body !== undefined) {
    words.push(`-H 'Content-Type: application/json'`, `-d ${quoted(bodyOf(body))}`);
  }
  return words.join(' \\\n  ');
}

/** One word of a shell, whatever is in the text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Shows a call as curl, for data that a screen reads and for actions without an `ActionButton`. A page has several; the
 * title, which screen readers also read, says which call it is.
 */
export function CurlButton({ call, label = 'curl' }: { call: ApiCall; label?: string }): Content {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="quiet curl-button"
        aria-haspopup="dialog"
        title={`${call.method} ${call.path}`}
        onClick={() => setOpen(true)}>
        <Icon name="terminal" />
        {label}
      </button>
      {isOpen && <CurlDialog call={call} onClose={() => setOpen(false)} />}
    </>
  );
}

function CurlDialog({ call, onClose }: { call: ApiCall; onClose: () => void }): Content {
  const line = curlOf(call);
  return (
    <Dialog title="The same with curl" wide onClose={onClose}>
      <p class="muted">
        With an API key of this app: <code>export CARILLON_KEY=…</code>
      </p>
      <pre class="code" tabindex={0}>
        {line}
      </pre>
      <footer>
        <CopyButton text={line} />
      </footer>
    </Dialog>
  );
}

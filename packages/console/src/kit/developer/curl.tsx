/** Every call that the console makes can be shown as the line that does the same in a shell. */
import { type ApiCall, bodyOf, urlOf } from '../../frame/api.ts';
import { Code, CopyButton } from '../copy.tsx';
import { ForDevelopers } from './drawer.tsx';

/** @returns the shell line; the API key is in the variable CARILLON_KEY */
function curlOf({ method, path, body, idempotencyKey }: ApiCall): string {
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

/** Puts a call of the screen into the drawer for developers, as curl. `ActionButton` and `ActionDialog` do it by themselves. */
export function Curl({ call }: { call: ApiCall }) {
  if (!call.path.startsWith('/v6/')) return null; // of the session, not of a key
  const line = curlOf(call);
  return (
    <ForDevelopers title={`${call.method} ${call.path}`}>
      <Code text={line} />
      <CopyButton text={line} />
    </ForDevelopers>
  );
}

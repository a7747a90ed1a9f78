/** Bodies of lines: JSON, one value a line, and server-sent events. */
import { NoReplyError } from './errors.ts';
import { parseJson, stringifyJson } from './json.ts';

export type Items<T> = Iterable<T> | AsyncIterable<T>;

/** `fetch` gives none for a reply without content. */
type Body = Response['body'];

/** The lines of a reply, as they come. @throws {NoReplyError} if it breaks off, or the reason of the signal that ends it */
async function* linesOf(
  body: Body,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  if (body === null) return;
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NoReplyError('The reply broke off.', { cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (rest !== '') yield rest;
}

/** The values of NDJSON. */
export async function* valuesOf<T>(
  body: Body,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<T, void, undefined> {
  for await (const line of linesOf(body, signal)) {
    if (line === '') continue;
    const value: T = parseJson(line);
    yield value;
  }
}

/** The data of the server-sent events that have one of the names. */
export async function* eventsOf<T>(
  body: Body,
  names: ReadonlySet<string>,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<T, void, undefined> {
  let name = '';
  for await (const line of linesOf(body, signal)) {
    if (line.startsWith('event: ')) name = line.slice('event: '.length);
    if (!line.startsWith('data: ') || !names.has(name)) continue;
    const value: T = parseJson(line.slice('data: '.length));
    yield value;
  }
}

/** A body that is made while it is sent, as fast as the server reads it. */
export function bodyOf(items: Items<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = (async function* () {
    for await (const item of items) yield encoder.encode(`${stringifyJson(item)}\n`);
  })();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await lines.return()),
  });
}

/** Cuts items into groups of at most so many, whose JSON has at most so many bytes; an item alone may have more. */
export async function* groupsOf<T>(
  items: Items<T>,
  { itemsMax, bytesMax }: { itemsMax: number; bytesMax: number },
): AsyncGenerator<T[], void, undefined> {
  const encoder = new TextEncoder();
  let group: T[] = [];
  let bytes = 0;
  for await (const item of items) {
    const more = encoder.encode(stringifyJson(item)).length;
    if (group.length > 0 && (group.length === itemsMax || bytes + more > bytesMax)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(item);
    bytes += more;
  }
  if (group.length > 0) yield group;
}

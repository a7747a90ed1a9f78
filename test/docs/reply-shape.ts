/** Compares a reply with the one that a page shows, in all but what differs from run to run. */
import { isJsonObject } from '../../src/api/parse.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A cursor of a list by time, in base64url: it begins with the year. */
const CURSOR = /^MjAy[\w-]+$/;
/** A new key. */
const SECRET = /^carillon_[\w-]{43}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** What depends on how far the sending has come when a reply is made. */
const PROGRESS = new Set(['state', 'outcome', 'started_at', 'ended_at', 'at', 'estimated_seconds_left']);

/** A reply without what differs from run to run: ids, times, cursors, made-up names, and how far a notification has come. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, PROGRESS.has(key) ? 'progress' : shapeOf(part)]),
    );
  }
  if (typeof value === 'number') return 'number';
  if (typeof value !== 'string') return value;
  if (UUID.test(value)) return 'uuid';
  if (CURSOR.test(value)) return 'cursor';
  if (SECRET.test(value)) return 'secret';
  return TIME.test(value) ? 'time' : value.replace(/^api_audience_.+/, 'api_audience_…');
}

const LEFT_OUT = '…';

/** A reply without what the page leaves out: further keys of an object, in place of a key `…`, and any text in place of `…`. */
export function abridged(reply: unknown, shown: unknown): unknown {
  if (typeof reply === 'string' && typeof shown === 'string') return stands(shown, reply) ? shown : reply;
  if (Array.isArray(reply) && Array.isArray(shown)) {
    return reply.map((item, index): unknown => abridged(item, shown[index]));
  }
  if (!isJsonObject(reply) || !isJsonObject(shown)) return reply;
  const pairs = Object.entries(reply).map(([key, part]): [string, unknown] => [
    key,
    abridged(part, shown[key]),
  ]);
  const kept = pairs.filter(([key]) => key in shown);
  if (!(LEFT_OUT in shown) || kept.length === pairs.length) return Object.fromEntries(pairs);
  return Object.fromEntries([...kept, [LEFT_OUT, LEFT_OUT]]);
}

/** Whether the text is `shown`, with something in place of each `…`. */
function stands(shown: string, text: string): boolean {
  const parts = shown.split(LEFT_OUT).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.+')}$`, 's').test(text);
}

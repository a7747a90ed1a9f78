/** Sends batches in both forms, and reads their entries. */
import { z } from 'zod';
import { parseJson } from '../../../src/json/lossless.ts';
import { type Api, basic } from '../api.ts';

export const BATCH = '/v6/notifications/batch';
export const NDJSON = 'application/x-ndjson';
export const JSON_TYPE = 'application/json';

export interface BatchReply {
  status: number;
  mediaType: string;
  headers: Record<string, unknown>;
  text: string;
  /** Empty if the call was refused. */
  entries: Entry[];
}

const entrySchema = z.looseObject({
  line: z.number(),
  status: z.number(),
  id: z.string().optional(),
  code: z.string().optional(),
  error: z.string().optional(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Entry = z.output<typeof entrySchema>;

export const hello = { to: '*', payload: { alert: 'hello' } };

/** Sends the body as it is. */
export async function sendRaw(
  api: Api,
  mediaType: string,
  payload: string | Buffer,
  { key = api.app.keys.write, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
): Promise<BatchReply> {
  const response = await api.server.inject({
    method: 'POST',
    url: BATCH,
    headers: { authorization: basic('', key), 'content-type': mediaType, ...headers },
    payload,
  });
  const [type = ''] = String(response.headers['content-type']).split(';');
  const text = response.body;
  const values = response.statusCode !== 200 ? [] : valuesOf(type, text);
  return {
    status: response.statusCode,
    mediaType: type,
    headers: response.headers,
    text,
    entries: z.array(entrySchema).parse(values),
  };
}

function valuesOf(mediaType: string, text: string): unknown {
  if (mediaType === JSON_TYPE) return parseJson(text);
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  return lines.map((line) => parseJson(line));
}

export async function sendLines(api: Api, lines: readonly string[]): Promise<BatchReply> {
  return sendRaw(api, NDJSON, `${lines.join('\n')}\n`);
}

export async function sendArray(api: Api, items: readonly unknown[]): Promise<BatchReply> {
  return sendRaw(api, JSON_TYPE, JSON.stringify(items));
}

/** The item of a notification, as a line. */
export function item(notification: object = hello, idempotencyKey?: unknown): string {
  return JSON.stringify({
    notification,
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
  });
}

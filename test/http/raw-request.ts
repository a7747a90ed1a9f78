/** Requests on a real socket, whose bodies are sent piece by piece. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { basic } from './api.ts';

/** A POST of NDJSON whose body the caller writes. */
export function openLines(
  port: number,
  path: string,
  key: string,
  headers: Record<string, string | number> = {},
): ClientRequest {
  const usual = { 'content-type': 'application/x-ndjson', authorization: basic('', key) };
  const to = { host: '127.0.0.1', port, method: 'POST', path, headers: { ...usual, ...headers } };
  return openRequest(to).on('error', () => undefined); // what matters is the reply
}

export async function replyTo(
  request: ClientRequest,
): Promise<{ status: number | undefined; body: unknown }> {
  const [message] = await once(request, 'response');
  const response: IncomingMessage = message;
  return { status: response.statusCode, body: await json(response) };
}

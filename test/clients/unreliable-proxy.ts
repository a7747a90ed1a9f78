/** A proxy in front of a server that fails as it is asked to: it refuses requests, or loses replies to requests that were carried out. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { portOf } from '../support/ports.ts';

/** What becomes of one request: passed on; carried out, and then the connection is cut; or answered by the proxy. */
export type Fate = 'pass' | 'lose the reply' | { status: number; headers?: Record<string, string> };

export interface SeenRequest {
  /** `POST /v6/notifications` */
  call: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface UnreliableProxy {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** The fates of the next requests, in their order; those after them pass. Forgets the requests so far. */
  next(...fates: readonly Fate[]): void;
  close(): Promise<void>;
}

export async function openUnreliableProxy(target: string): Promise<UnreliableProxy> {
  let fates: Fate[] = [];
  let seen: SeenRequest[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fate = fates.shift() ?? 'pass';
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    seen.push({ call: `${method} ${url}`, headers, body: body.toString() });
    if (typeof fate === 'object') {
      const error = { error: 'The service is unavailable.', code: 'unavailable' };
      response.writeHead(fate.status, { 'content-type': 'application/json', ...fate.headers });
      response.end(JSON.stringify(error));
      return;
    }
    const passed = requestOf(new URL(url, target), { method, headers }).end(body);
    const [reply]: IncomingMessage[] = await once(passed, 'response');
    if (reply === undefined) throw new Error('a response comes with a message');
    const content = await buffer(reply);
    if (fate === 'lose the reply') {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.statusCode ?? 500, reply.headers).end(content);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    get seen() {
      return seen;
    },
    next: (...those) => {
      fates = [...those];
      seen = [];
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

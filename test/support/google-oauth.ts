/**
 * Google's OAuth for clients in which its address is fixed: a proxy leads them to a server that has a certificate for
 * Google's name.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeCertificate, portOf } from '../../packages/http2-client/test/peer.ts';

const HOST = 'oauth2.googleapis.com';

export interface GoogleOauth {
  /** The certificate (PEM) to trust. */
  readonly authority: string;
  /** For `HTTPS_PROXY`. */
  readonly proxyUrl: string;
  /** The server itself. */
  readonly url: string;
  /** The assertions (JWT claims) of all grants asked for so far, and whether each came through the proxy. */
  readonly grants: { claims: unknown; isProxied: boolean }[];
  close(): void;
}

/** @param answer is called once per grant; leaves the response open if it does not end it */
export async function openGoogleOauth(answer: (response: ServerResponse) => void): Promise<GoogleOauth> {
  const certificate = await makeCertificate(['localhost', HOST]);
  const grants: { claims: unknown; isProxied: boolean }[] = [];
  const grant = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [, claims = ''] = new URLSearchParams(body).get('assertion')?.split('.') ?? [];
    const isProxied = request.headers.host === HOST;
    grants.push({ claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), isProxied });
    response.setHeader('content-type', 'application/json');
    answer(response);
  };
  const server = createHttpsServer(certificate, (request, response) => void grant(request, response));
  const proxy = createHttpServer((_request, response) => void response.writeHead(405).end());
  proxy.on('connect', (request, socket) => {
    if (request.url !== `${HOST}:443`) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const tunnel = connect(portOf(server), 'localhost', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(tunnel).pipe(socket);
    });
    for (const end of [socket, tunnel]) end.on('error', () => end.destroy());
    return undefined;
  });
  for (const one of [server, proxy]) {
    one.listen(0, 'localhost');
    await once(one, 'listening');
  }
  return {
    authority: certificate.cert,
    proxyUrl: `http://localhost:${portOf(proxy)}`,
    url: `https://localhost:${portOf(server)}`,
    grants,
    close: () => {
      for (const one of [server, proxy]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}

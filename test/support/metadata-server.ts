/** A cloud's metadata server, from which a process without a key file gets its identity. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { portOf } from '../../packages/http2-client/test/peer.ts';

export interface MetadataServer {
  /** The variables by which Google's libraries find it. */
  readonly environment: Readonly<Record<string, string>>;
  /** How many access tokens it has issued. */
  readonly issued: () => number;
  close(): Promise<void>;
}

const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';

/** Answers like Google Cloud's ("View and query VM metadata"). */
export async function openMetadataServer(issueToken: () => string): Promise<MetadataServer> {
  let issued = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://metadata');
    response.setHeader('metadata-flavor', 'Google');
    if (request.headers['metadata-flavor'] !== 'Google') {
      response.writeHead(403).end();
    } else if (pathname === TOKEN_PATH) {
      issued += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: issueToken(), expires_in: 3_600, token_type: 'Bearer' }));
    } else {
      response.writeHead(pathname === '/computeMetadata/v1/instance' ? 200 : 404).end('{}');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    environment: {
      GCE_METADATA_HOST: `127.0.0.1:${portOf(server)}`,
      METADATA_SERVER_DETECTION: 'assume-present',
    },
    issued: () => issued,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

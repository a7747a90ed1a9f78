import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { closedPort } from '../../test/support/ports.ts';
import { makeCredentials } from '../support/credentials.ts';
import { startProgram } from '../support/programs.ts';
import { type Sink, writeCertificate } from './sink.ts';

const START_TIMEOUT_MS = 10_000;
const STATUS_TIMEOUT_MS = 5_000;

/**
 * One port for both gateways and Google's token endpoint, one for the count of requests.
 * @param atApple more directives of the place for pushes to Apple; the log format `single` has the time and the path
 */
export async function openNginxSink(program: string, dir: string, atApple = ''): Promise<Sink> {
  const files = await writeCertificate(dir);
  const config = path.join(dir, 'nginx.conf');
  const ports = { gateway: await closedPort(), status: await closedPort() };
  await mkdir(path.join(dir, 'logs'), { recursive: true });
  await writeFile(config, configOf(dir, files, ports, atApple));
  // At level "notice", nginx logs when its workers are up; later it logs nothing.
  const nginx = startProgram(program, ['-p', dir, '-c', config, '-e', 'stderr']);
  await nginx.line(/start worker process \d/, START_TIMEOUT_MS);

  const url = `https://127.0.0.1:${ports.gateway}`;
  let asked = 0;
  let countedBefore = 0;
  const requests = async (): Promise<number> => {
    const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS);
    const response = await fetch(`http://127.0.0.1:${ports.status}/`, { signal });
    // The third line: connections accepted, handled, requests. This request is one of them.
    const [, , , count] = /\n\s*(\d+) (\d+) (\d+)/.exec(await response.text()) ?? [];
    if (count === undefined) throw new Error(`nginx gave status ${response.status} instead of its counts`);
    asked += 1;
    return Number(count) - asked;
  };
  return {
    name: 'nginx',
    pid: nginx.pid,
    apnsUrl: url,
    fcmUrl: url,
    oauthUrl: url,
    caFile: files.caFile,
    credentials: makeCredentials(),
    reset: async () => {
      countedBefore = await requests();
    },
    count: async () => ({ received: (await requests()) - countedBefore, repeated: null, shownTwice: null }),
    stop: async () => nginx.stop(),
  };
}

function configOf(
  dir: string,
  files: { certificate: string; key: string },
  ports: { gateway: number; status: number },
  atApple: string,
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${dir}/nginx.pid;
worker_processes auto;
error_log stderr notice;
events { worker_connections 1024; }
http {
  access_log off;
  log_format single '$msec $uri';
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  http2_max_concurrent_streams 1000;
${temporary.map((name) => `  ${name}_temp_path ${dir}/${name};`).join('\n')}
  server {
    listen 127.0.0.1:${ports.gateway} ssl http2;
    ssl_certificate ${files.certificate};
    ssl_certificate_key ${files.key};
    default_type application/json;
    location /3/device/ { ${atApple} return 200; }
    location /push/ { return 201; }
    location /v1/projects/ { return 200 '{"name":"projects/carillon-bench/messages/1"}'; }
    location = /token {
      return 200 '{"access_token":"token","expires_in":3599,"token_type":"Bearer"}';
    }
  }
  server {
    listen 127.0.0.1:${ports.status};
    location / { stub_status; }
  }
}
`;
}

/** HTTP/2 servers of other authors, each started on a port of its own with the certificate of the run. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { bodyOf, type Certificate, portOf } from '../peer.ts';

const execute = promisify(execFile);
const SERVERS = fileURLToPath(new URL('servers', import.meta.url));
const START_TIMEOUT_MS = 30_000;
/** Go compiles net/http the first time. */
const BUILD_TIMEOUT_MS = 120_000;

export interface Start {
  certificate: Certificate;
  /** A directory of this server, with `cert.pem` and `key.pem`. */
  dir: string;
}

export interface Requests {
  /** Different paths. */
  distinct: number;
  total: number;
}

export interface ForeignServer {
  readonly origin: string;
  /**
   * Whether each answer has status 201, the request's `x-own` header, and the path and the length of the request's body
   * as its own body. Otherwise an answer has status 200, of which the client keeps no body.
   */
  readonly echoes: boolean;
  /** The requests that it has answered; undefined where it answers that itself, at `/requests`. */
  requests(): Promise<Requests> | undefined;
  close(): Promise<void>;
}

export interface Foreign {
  readonly name: string;
  /** Requests that it answers within some seconds. */
  readonly requests: number;
  /** Whether it ends sessions with GOAWAY. */
  readonly sendsGoaway: boolean;
  /** Rejects where it cannot run here. */
  check(): Promise<unknown>;
  start(options: Start): Promise<ForeignServer>;
}

/** The interpreter that has Hypercorn: Debian installs packages for its own alone. */
async function pythonWithHypercorn(): Promise<string> {
  return Promise.any(
    ['python3', '/usr/bin/python3'].map(async (python) => {
      await execute(python, ['-c', 'import hypercorn, h2'], { timeout: START_TIMEOUT_MS });
      return python;
    }),
  );
}

const go: Foreign = {
  name: 'Go',
  requests: 5_000,
  sendsGoaway: false,
  check: async () => execute('go', ['version']),
  async start({ dir }) {
    const program = path.join(dir, 'server');
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', CGO_ENABLED: '0' };
    await execute('go', ['build', '-o', program, '.'], { cwd: SERVERS, env, timeout: BUILD_TIMEOUT_MS });
    return run(program, (port) => [String(port), 'cert.pem', 'key.pem'], { dir, echoes: true });
  },
};

const nginx: Foreign = {
  name: 'nginx',
  requests: 5_000,
  sendsGoaway: true,
  check: async () => execute('nginx', ['-v']),
  async start({ dir }) {
    const configure = async (port: number): Promise<string[]> => {
      await writeFile(path.join(dir, 'nginx.conf'), nginxConfiguration(dir, port));
      return ['-p', dir, '-c', 'nginx.conf', '-e', 'error.log'];
    };
    const requests = async (): Promise<Requests> =>
      count((await readFile(path.join(dir, 'access.log'), 'utf8')).split('\n').filter(Boolean));
    return run('nginx', configure, { dir, echoes: false, requests });
  },
};

function nginxConfiguration(dir: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    daemon off; master_process off; pid nginx.pid;
    events { worker_connections 512; }
    http {
      ${temporary.map((name) => `${name}_temp_path ${path.join(dir, name)};`).join('\n')}
      log_format path '$uri'; access_log access.log path; keepalive_requests 1000;
      server {
        listen 127.0.0.1:${port} ssl http2;
        ssl_certificate cert.pem; ssl_certificate_key key.pem;
        location / { return 200; }
      }
    }`;
}

const nghttpd: Foreign = {
  name: 'nghttpd',
  requests: 5_000,
  sendsGoaway: false,
  check: async () => execute('nghttpd', ['--version']),
  async start({ dir }) {
    return run(
      'nghttpd',
      (port) => ['--address=127.0.0.1', '--echo-upload', '--verbose', String(port), 'key.pem', 'cert.pem'],
      {
        dir,
        echoes: false,
        requests: async (printed) => count([...printed.matchAll(/:path: (\S+)/g)].map(([, at = '']) => at)),
      },
    );
  },
};

const hypercorn: Foreign = {
  name: 'Hypercorn',
  requests: 2_000,
  sendsGoaway: false,
  check: pythonWithHypercorn,
  async start({ dir }) {
    const program = await pythonWithHypercorn();
    const files = ['--certfile', path.join(dir, 'cert.pem'), '--keyfile', path.join(dir, 'key.pem')];
    return run(program, (port) => ['-m', 'hypercorn', ...files, '--bind', `127.0.0.1:${port}`, 'app:app'], {
      dir: SERVERS,
      echoes: true,
    });
  },
};

function node(name: string, goawayEvery: number): Foreign {
  return {
    name,
    requests: 5_000,
    sendsGoaway: Number.isFinite(goawayEvery),
    check: async () => undefined,
    async start({ certificate }) {
      const paths: string[] = [];
      let received = 0;
      const answer = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> => {
        const body = await bodyOf(stream);
        received += 1;
        stream.respond({ ':status': 201, 'x-own': headers['x-own'] });
        stream.end(`${headers[':path']} ${body.length}`);
        if (received % goawayEvery === 0) stream.session?.goaway(0);
      };
      const server = createSecureServer({ ...certificate });
      server.on('sessionError', () => undefined);
      server.on('stream', (stream, headers) => {
        stream.on('error', () => undefined);
        // A GOAWAY also refuses requests that were received with the last one, and answered in vain.
        stream.on('close', () => {
          if (stream.rstCode === constants.NGHTTP2_NO_ERROR) paths.push(headers[':path'] ?? '');
        });
        void answer(stream, headers).catch(() => undefined);
      });
      server.listen(0, 'localhost');
      await once(server, 'listening');
      return {
        origin: `https://localhost:${portOf(server)}`,
        echoes: true,
        requests: async () => count(paths),
        close: () => new Promise((resolve) => server.close(() => resolve())),
      };
    },
  };
}

export const foreignServers: readonly Foreign[] = [
  go,
  nginx,
  nghttpd,
  hypercorn,
  node('Node', Number.POSITIVE_INFINITY),
  node('Node with GOAWAY', 500),
];

interface RunOptions {
  dir: string;
  echoes: boolean;
  /** From what it has printed until now. */
  requests?: (printed: string) => Promise<Requests>;
}

/** Starts a program, and waits until its port is open. */
async function run(
  program: string,
  argumentsFor: (port: number) => string[] | Promise<string[]>,
  { dir, echoes, requests }: RunOptions,
): Promise<ForeignServer> {
  const port = await unusedPort();
  const child = spawn(program, await argumentsFor(port), { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2_000)));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await vi.waitFor(async () => openAndClose(port), { timeout: START_TIMEOUT_MS, interval: 50 });
  } catch (error) {
    await close();
    throw new Error(`${program} did not open its port: ${errors}`, { cause: error });
  }
  return { origin: `https://localhost:${port}`, echoes, requests: () => requests?.(printed), close };
}

/** Below the ports that the system hands out by itself, so that no connection takes it meanwhile. */
async function unusedPort(): Promise<number> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

async function openAndClose(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

function count(paths: readonly string[]): Requests {
  return { distinct: new Set(paths).size, total: paths.length };
}

/**
 * A web site for the demo, at an origin of its own, with the files of packages/web. No push service on the internet could reach the
 * demo: the page subscribes at the simulated one, asks it for what arrived, and hands that to its service worker.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Simulator } from '@carillon/simulator';
import { z } from 'zod';

const files: Readonly<Record<string, [type: string, url: URL]>> = {
  '/': ['text/html; charset=utf-8', new URL('page.html', import.meta.url)],
  '/page.css': ['text/css; charset=utf-8', new URL('page.css', import.meta.url)],
  '/page.js': ['text/javascript', new URL('page.js', import.meta.url)],
  '/worker.js': ['text/javascript', new URL('worker.js', import.meta.url)],
  '/carillon-web.js': ['text/javascript', new URL(import.meta.resolve('@carillon/web'))],
  '/carillon-sw.js': ['text/javascript', new URL(import.meta.resolve('@carillon/web/carillon-sw.js'))],
};

const subscriberSchema = z.object({ applicationServerKey: z.string() });
const visitorSchema = z.object({ user_id: z.string() });

interface SiteOptions {
  simulator: Simulator;
  /** What the page needs: the address of the server, and a key with `register` alone. */
  server: string;
  key: string;
  /** Any free port if it is taken, or 0. */
  port: number;
  /** Sends a notification to a visitor. */
  greet: (userId: string) => Promise<unknown>;
}

/** @returns the address of the site, which listens on this machine alone */
export async function openDemoSite(
  options: SiteOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400).end();
    });
  });
  const listen = async (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  await listen(options.port).catch(async () => listen(0));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the site of the demo has no port');
  return {
    url: `http://localhost:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  { simulator, server, key, greet }: SiteOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const send = (body: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const file = files[pathname];
  if (file !== undefined) {
    response.writeHead(200, { 'content-type': file[0] }).end(await readFile(file[1]));
  } else if (pathname === '/settings.json') {
    send({ server, key, pushService: simulator.urls.web });
  } else if (pathname === '/pushes') {
    const pushes = simulator.received({ gateway: 'web_push', token: searchParams.get('endpoint') ?? '' });
    send(pushes.map((push) => (push.gateway === 'web_push' ? push.text : null)));
  } else if (pathname === '/subscriptions' && request.method === 'POST') {
    send(simulator.web.subscribe({ ...subscriberSchema.parse(await json(request)), service: 'google' }));
  } else if (pathname === '/greet' && request.method === 'POST') {
    send(await greet(visitorSchema.parse(await json(request)).user_id));
  } else {
    response.writeHead(404).end();
  }
}

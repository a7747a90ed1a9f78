import type { FastifyInstance } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { limitConnections } from '../../../src/http/load/connections.ts';
import { makeOwnPort } from '../../../src/http/console/own-port.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useApi } from '../api.ts';

const HOST = '127.0.0.1';

const api = useApi();
const ownPort = makeOwnPort(observeNothing, limitConnections(Infinity, observeNothing));
let server: FastifyInstance;
let atPort: string;
let atOwnPort: string;

beforeAll(async () => {
  server = api.openServer({ console: ownPort });
  atPort = await server.listen({ host: HOST, port: 0 });
  atOwnPort = await ownPort.listen(server, { host: HOST, port: 0 });
});

test.each(['/console', '/console/session', '/console/sign-in-options', '/console/assets/x/main.ts'])(
  '%s is served at the port of the console alone',
  async (path) => {
    const elsewhere = await fetch(atPort + path);
    expect(elsewhere.status).toBe(404);
    expect(await elsewhere.json()).toMatchObject({ code: 'not_found' });
    expect((await fetch(atOwnPort + path)).status).not.toBe(404);
  },
);

test.each(['/v6/devices', '/readyz', '/openapi.json'])('%s is served at both ports alike', async (path) => {
  const there = await fetch(atPort + path);
  const here = await fetch(atOwnPort + path);
  expect(here.status).toBe(there.status);
  expect(await here.text()).toBe(await there.text());
});

test('the port of the console is closed with the server, and a taken port is refused', async () => {
  const other = makeOwnPort(observeNothing, limitConnections(Infinity, observeNothing));
  const port = Number(new URL(atOwnPort).port);
  await expect(other.listen(server, { host: HOST, port })).rejects.toThrow('EADDRINUSE');
  await server.close();
  await expect(fetch(`${atOwnPort}/console`)).rejects.toThrow('fetch failed');
});

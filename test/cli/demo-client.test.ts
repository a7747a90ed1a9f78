import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { openDemoClient } from '../../src/cli/demo/demo-client.ts';
import { closedPort } from '../support/ports.ts';

test('the demo calls again where the server is overloaded, and not where it refuses', async () => {
  const statuses = [503, 503, 201, 422];
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = statuses.shift() ?? 500;
    response.end('{}');
  });
  const port = await closedPort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const client = openDemoClient(`http://127.0.0.1:${port}`, 'key', 1);
  await client.registerDevice({});
  expect(statuses).toEqual([422]);
  await expect(client.registerDevice({})).rejects.toThrow('POST /v6/devices answered 422: {}');
  server.close();
});

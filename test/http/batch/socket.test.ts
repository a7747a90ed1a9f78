/** Batches on a real socket: bodies that are too large, and callers that disconnect. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { portOf } from '../../support/ports.ts';
import { useApi } from '../api.ts';
import { openLines, replyTo } from '../raw-request.ts';
import { countStored } from '../stored.ts';
import { BATCH, item } from './batch-call.ts';

const api = useApi();
const MIB = 1024 * 1024;
const LIMIT = 8 * MIB;
const PATIENCE = { timeout: 30_000, interval: 20 };

let port = 0;
beforeAll(async () => {
  await api.server.listen({ host: '127.0.0.1', port: 0 });
  port = portOf(api.server.server);
});

const open = (headers?: Record<string, string | number>) =>
  openLines(port, BATCH, api.app.keys.write, headers);

const storedCount = async (): Promise<number> => (await countStored(api.db)).notifications;
const handled = () => api.observations.filter(({ kind }) => kind === 'batch_handled').length;
const failures = () => api.observations.filter(({ kind }) => kind === 'request_failed');

describe('A body over 8 MiB', () => {
  test('a body over 8 MiB is refused by its Content-Length, before any of it is read', async () => {
    const request = open({ 'content-length': LIMIT + 1 });
    request.flushHeaders();
    expect(await replyTo(request)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    request.destroy();
  });

  test('a body over 8 MiB is refused as soon as it is too long, before its end', async () => {
    const request = open();
    const reply = replyTo(request);
    const lines = Buffer.alloc(MIB, `${item()}\n`);
    for (let sent = 0; sent <= LIMIT; sent += MIB) request.write(lines);
    expect(await reply).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    request.destroy();
    expect(await storedCount()).toBe(0);
  });
});

describe('A caller that disconnects', () => {
  const lines = Array.from({ length: 1_000 }, () => item()).join('\n');

  test('a caller that disconnects before the end of the body has stored nothing', async () => {
    const before = await storedCount();
    const request = open({ 'content-length': Buffer.byteLength(lines) });
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    api.server.server.once('request', (message) => message.once('close', resolve));
    request.write(lines.slice(0, -1));
    await vi.waitFor(() => expect(request.socket?.bytesWritten).toBeGreaterThan(lines.length - 1), PATIENCE);
    request.destroy();
    await aborted;
    expect(await storedCount()).toBe(before);
    expect(failures()).toEqual([]);
  });

  test('a caller that disconnects after the body has stored all, and the server goes on', async () => {
    const [before, handledBefore] = [await storedCount(), handled()];
    const request = open({ 'content-length': Buffer.byteLength(lines) });
    request.end(lines);
    await vi.waitFor(async () => expect(await storedCount()).toBeGreaterThan(before), PATIENCE);
    request.destroy();
    await vi.waitFor(() => expect(handled()).toBe(handledBefore + 1), PATIENCE);
    expect(await storedCount()).toBe(before + 1_000);
    const next = open();
    next.end(item());
    expect((await replyTo(next)).status).toBe(200);
    expect(failures()).toEqual([]);
  });
});

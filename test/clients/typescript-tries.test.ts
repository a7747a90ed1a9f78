/** How the TypeScript client repeats a call: waits and limits of time. */
import { describe, expect, it } from 'vitest';
import { secondsOf } from '../../clients/typescript/src/retry-after.ts';
import { pause, send, type Tries } from '../../clients/typescript/src/send.ts';

const anywhere = { isRepeatable: true, isStream: false };

function request(): Request {
  return new Request('http://carillon.test/v6/app');
}

async function unavailable(): Promise<Response> {
  return new Response('', { status: 503, headers: { 'retry-after': '3' } });
}

/** A reply whose body ends with the signal alone. */
async function endless(_request: Request, { signal }: { signal: AbortSignal }): Promise<Response> {
  const start = (controller: ReadableStreamDefaultController): void =>
    signal.addEventListener('abort', () => controller.error(signal.reason));
  return new Response(new ReadableStream({ start }));
}

/** Waits are written down and do not take time. */
function withoutWaiting(change: Partial<Tries> = {}): { tries: Tries; waits: number[] } {
  const waits: number[] = [];
  const tries = {
    timeoutMs: 1_000,
    callTimeoutMs: 60_000,
    retries: 4,
    backoffMs: 100,
    random: () => 1,
    fetch: unavailable,
    pause: async (ms: number) => void waits.push(ms),
    ...change,
  };
  return { tries, waits };
}

describe('The tries of a call', () => {
  it('a call waits for as long as the server asks, and a random time that doubles', async () => {
    const { tries, waits } = withoutWaiting();
    expect((await send(request(), anywhere, tries)).status).toBe(503);
    expect(waits).toEqual([3_100, 3_200, 3_400, 3_800]);
  });

  it('a call ends early if the server asks for a longer wait than the call has', async () => {
    const { tries, waits } = withoutWaiting({ callTimeoutMs: 3_000 });
    expect((await send(request(), anywhere, tries)).status).toBe(503);
    expect(waits).toEqual([]);
  });

  it('a try has a limit of time, also for a reply that does not end', async () => {
    const { tries } = withoutWaiting({ fetch: endless, timeoutMs: 5, retries: 0 });
    await expect(send(request(), anywhere, tries)).rejects.toMatchObject({
      name: 'NoReplyError',
      message: 'No reply from carillon.test: no reply within 5 ms',
    });
  });

  it('a Retry-After is read in both of its forms', () => {
    const now = Date.parse('2026-11-24T12:00:00Z');
    const headers = [null, '7', 'Tue, 24 Nov 2026 12:00:09 GMT', 'Tue, 24 Nov 2026 11:00:00 GMT', 'soon'];
    expect(headers.map((header) => secondsOf(header, now))).toEqual([undefined, 7, 9, 0, undefined]);
  });

  it('a call stops waiting when its caller does', async () => {
    const stop = new AbortController();
    const waiting = pause(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

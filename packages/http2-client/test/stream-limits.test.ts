/** A peer whose stream limit falls in mid-connection, as Apple's has been seen to, and one that refuses for long. */
import { expect, test } from 'vitest';
import {
  answerHead,
  frame,
  headerBlock,
  type HeardRequest,
  type RawConnection,
  settings,
  uint32,
} from './raw-peer.ts';
import { ask, askMany, usePools } from './pools.ts';
import { kinds } from './waiting.ts';

const { rawPeerOf: peerOf, poolTo } = usePools({ repeatsIfAmbiguous: 1, checkIntervalMs: 5 });
const MAX_CONCURRENT_STREAMS = 3;
const REQUESTS = 300;
const ROUNDS = 5;
/** More than a request's body, so that the peer's window never ends. */
const WINDOW_PER_REQUEST = 16;

test.each([1, 0])(
  'a limit that falls to %i in mid-connection is kept, and every request is answered once',
  async (limit) => {
    let open = 0;
    let answered = 0;
    let isLow = false;
    let mostOpen = 0;
    const peer = await peerOf({
      greeting: settings([MAX_CONCURRENT_STREAMS, 100]),
      onRequest: (request, connection) => {
        // The client has acknowledged all SETTINGS, and those that were open before are answered.
        const acknowledged = connection.heard.filter(({ type, flags }) => type === 4 && flags === 1).length;
        isLow ||= acknowledged === (limit === 0 ? 3 : 2) && open === 0;
        open += 1;
        if (isLow) mostOpen = Math.max(mostOpen, open);
        setImmediate(() => answer(request, connection));
      },
    });
    function answer({ streamId }: HeardRequest, { say }: RawConnection): void {
      open -= 1;
      answered += 1;
      say(answerHead(streamId, 200));
      if (answered !== 100) return;
      say(settings([MAX_CONCURRENT_STREAMS, limit]));
      if (limit === 0) setImmediate(() => setImmediate(() => say(settings([MAX_CONCURRENT_STREAMS, 1]))));
    }
    const pool = poolTo(peer, { sessionsMax: 1 });
    expect(await ask(pool, '/first')).toMatchObject({ kind: 'answered' });
    expect(kinds(await askMany(pool, REQUESTS))).toEqual({ answered: REQUESTS });
    const paths = peer.connections.flatMap(({ requests }) => [...requests.values()].map(({ path }) => path));
    expect(new Set(paths).size).toBe(REQUESTS + 1);
    expect(paths).toHaveLength(REQUESTS + 1);
    expect(peer.connections).toHaveLength(1);
    expect(mostOpen).toBe(1);
  },
);

/** A literal that is put into the header table (RFC 7541, section 6.2.1). */
function indexed(name: string, value: string): Buffer {
  const [nameLength, valueLength] = [Buffer.from([name.length]), Buffer.from([value.length])];
  return Buffer.concat([Buffer.from([0x40]), nameLength, Buffer.from(name), valueLength, Buffer.from(value)]);
}

test('thousands of refusals with long headers, each new in the header table, leave a connection in use', async () => {
  const body = Buffer.from('{"reason":"BadDeviceToken"}');
  const peer = await peerOf({
    greeting: settings([MAX_CONCURRENT_STREAMS, 1_000]),
    onRequest: ({ streamId }, { say }) => {
      const head = Buffer.concat([
        headerBlock(':status', '400'),
        indexed('apns-id', `${streamId}-${'x'.repeat(100)}`),
        indexed(`x-${streamId}`, 'y'.repeat(100)),
      ]);
      say(
        frame(1, 4, streamId, head),
        frame(0, 1, streamId, body),
        frame(8, 0, 0, uint32(WINDOW_PER_REQUEST)),
      );
    },
  });
  const pool = poolTo(peer, { sessionsMax: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    expect(await askMany(pool, 1_000)).toEqual(
      Array.from({ length: 1_000 }, () => expect.objectContaining({ status: 400, body: body.toString() })),
    );
  }
  expect(peer.connections).toHaveLength(1);
});

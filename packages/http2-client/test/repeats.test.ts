/** How often one request reaches a peer that never answers it, in one call: longer waits are for the caller to make. */
import { expect, test } from 'vitest';
import { answerHead, goaway, type RawConnection, reset } from './raw-peer.ts';
import { ask, usePools } from './pools.ts';

const { rawPeerOf: peerOf, poolTo } = usePools({ repeatsIfAmbiguous: 1, checkIntervalMs: 5 });

type React = (streamId: number, connection: RawConnection) => void;
type Row = readonly [name: string, react: React, times: number, kind: string];

const REFUSED_STREAM = 7;
const resets = Array.from({ length: 14 }, (_, code): Row => {
  const isRefusal = code === REFUSED_STREAM;
  const react: React = (streamId, { say }) => say(reset(streamId, code));
  return [`a reset with code ${code}`, react, isRefusal ? 5 : 2, isRefusal ? 'never_sent' : 'ambiguous'];
});
const statuses = [200, 400, 401, 403, 410, 429, 500, 503].flatMap((status): Row[] => [
  [`${status}`, (streamId, { say }) => say(answerHead(streamId, status)), 1, 'answered'],
  [
    `${status} and the end of the connection`,
    (streamId, { say, socket }) => {
      say(answerHead(streamId, status));
      socket.end();
    },
    1,
    'answered',
  ],
]);

test.each<Row>([
  ...resets,
  ...statuses,
  [
    'a GOAWAY that refuses it',
    (streamId, { say }) => say(goaway(Math.max(streamId - 2, 0), 0)),
    5,
    'never_sent',
  ],
  [
    'a GOAWAY that refuses it, too busy',
    (streamId, { say }) => say(goaway(Math.max(streamId - 2, 0), 11)),
    5,
    'never_sent',
  ],
  ['a GOAWAY that does not, too busy', (streamId, { say }) => say(goaway(streamId, 11)), 2, 'ambiguous'],
  ['the end of the connection', (_streamId, { socket }) => socket.end(), 2, 'ambiguous'],
  ['a broken connection', (_streamId, { socket }) => socket.resetAndDestroy(), 2, 'ambiguous'],
  ['silence', () => undefined, 2, 'ambiguous'],
])(
  'a request ends in the same way after a few repeats if the peer always reacts with %s',
  async (name, react, times, kind) => {
    let requests = 0;
    const peer = await peerOf({
      onRequest: ({ streamId }, connection) => {
        requests += 1;
        react(streamId, connection);
      },
    });
    const limits = {
      reconnectAfterMs: 1,
      reconnectAfterMsMax: 1,
      drainAfterErrorMs: 1,
      ...(name === 'silence' && { requestTimeoutMs: 50 }),
    };
    const answer = await ask(poolTo(peer, limits), '/');
    expect([answer.kind, requests]).toEqual([kind, times]);
  },
);

/** Pools to scripted peers, with timeouts as short as a test wants them. */
import { afterEach } from 'vitest';
import type { Answer } from '../src/answer.ts';
import { openHttp2Pool, type Http2Pool } from '../src/pool.ts';
import type { Http2PoolOptions, PoolEvent } from '../src/pool-options.ts';
import { openRawPeer, type RawPeer, type RawPeerScript } from './raw-peer.ts';

const HEADERS = [':method', 'POST', ':scheme', 'http', ':authority', 'localhost'];

export interface RawPools {
  /** The events of all pools of the current test. */
  readonly events: PoolEvent[];
  readonly peerOf: (script: RawPeerScript) => Promise<RawPeer>;
  readonly poolTo: (peer: RawPeer, limits?: Partial<Http2PoolOptions>) => Http2Pool;
}

/** Peers and pools that are closed after each test of a file. */
export function useRawPools(): RawPools {
  const open: { close(): Promise<void> }[] = [];
  const events: PoolEvent[] = [];
  afterEach(async () => {
    for (const resource of open.splice(0).toReversed()) await resource.close();
    events.length = 0;
  });
  return {
    events,
    async peerOf(script) {
      const peer = await openRawPeer(script);
      open.push(peer);
      return peer;
    },
    poolTo({ origin }, limits = {}) {
      const pool = openHttp2Pool({
        origin,
        onEvent: (event) => events.push(event),
        repeatsIfAmbiguous: 1,
        checkIntervalMs: 5,
        ...limits,
      });
      open.push(pool);
      return pool;
    },
  };
}

export function ask(pool: Http2Pool, path: string, isWanted?: () => boolean): Promise<Answer> {
  return pool.request({ path, headers: HEADERS, ownHeaders: [], body: 'hello' }, isWanted);
}

/** Requests `/0`, `/1` and so on. */
export function askMany(pool: Http2Pool, count: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => ask(pool, `/${n}`)));
}

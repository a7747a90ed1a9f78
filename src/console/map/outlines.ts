/** Keeps the outlines of the map as JSON. A thread draws them, once per process, when they are first asked for. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { withinTime } from '../../scheduling/time-limit.ts';
import { TILES } from './draw-outlines.ts';

interface Outline {
  json: Buffer;
  gzipped: Buffer;
  /** Changes with the content. */
  etag: string;
}

const DRAWN_WITHIN_MS = 60_000;

const zipped = promisify(gzip);

export function openOutlines() {
  let thread: Worker | undefined;
  let drawn: Promise<Map<string, Outline>> | undefined;

  async function draw(): Promise<Map<string, Outline>> {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const started = new Worker(new URL('./outlines-thread.ts', import.meta.url));
    thread = started;
    started.once('message', resolve);
    started.once('error', reject);
    started.once('exit', () => reject(new Error('the thread ended before it had drawn the map')));
    try {
      return await named(await withinTime(DRAWN_WITHIN_MS, promise));
    } finally {
      await started.terminate();
      thread = undefined;
    }
  }

  return {
    /** @param name `world`, or `<row>-<column>` of a detailed tile; undefined for others */
    async read(name: string): Promise<Outline | undefined> {
      drawn ??= draw();
      try {
        return (await drawn).get(name);
      } catch (error) {
        drawn = undefined; // the next request tries again
        throw error;
      }
    },
    /** Ends a thread that is still drawing. */
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}

async function named([world = '{}', ...tiles]: readonly string[]): Promise<Map<string, Outline>> {
  const outlines = new Map([['world', await outlineOf(world)]]);
  for (const [index, json] of tiles.entries()) {
    outlines.set(`${Math.floor(index / TILES)}-${index % TILES}`, await outlineOf(json));
  }
  return outlines;
}

async function outlineOf(text: string): Promise<Outline> {
  const json = Buffer.from(text);
  const etag = `W/"${createHash('sha256').update(json).digest('base64url').slice(0, 16)}"`;
  return { json, gzipped: await zipped(json), etag };
}

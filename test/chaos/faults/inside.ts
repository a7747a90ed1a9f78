/**
 * Faults inside of our own processes: their clock, their heap. Node loads this file into each thread of a process before the program
 * (`insideSettings`), and does there what `order` says.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import type { Environment } from '../../support/processes.ts';

const insideSchema = z.object({
  /** How far the clock is ahead; negative: behind. */
  aheadMs: z.number().default(0),
  /** Each thread fills its heap up to so many bytes. */
  heapBytes: z.number().default(0),
});

const LOOKS_EVERY_MS = 50;
const PIECE = 100_000;

/** @param options more options of Node for the processes */
export function insideSettings(...options: readonly string[]): Environment {
  return { NODE_OPTIONS: [`--import=${import.meta.url}`, ...options].join(' '), CHAOS_INSIDE: '1' };
}

const orderFile = (pid: number): string => path.join(tmpdir(), `carillon-chaos-${pid}.json`);

/** Takes effect within 50 ms. @returns a function that ends it */
export function order(pid: number, inside: z.input<typeof insideSchema>): () => void {
  writeFileSync(orderFile(pid), JSON.stringify(inside));
  return () => rmSync(orderFile(pid));
}

function obey(): void {
  const TrueDate = Date;
  let aheadMs = 0;
  const now = (): number => TrueDate.now() + aheadMs;
  globalThis.Date = new Proxy(TrueDate, {
    apply: () => new TrueDate(now()).toString(),
    construct: (target, words, given) =>
      Reflect.construct(target, words.length === 0 ? [now()] : words, given === Date ? target : given),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  });
  let ballast: number[][] = [];
  const look = (): void => {
    let ordered = insideSchema.parse({});
    try {
      ordered = insideSchema.parse(JSON.parse(readFileSync(orderFile(process.pid), 'utf8')));
    } catch {} // there is no order
    aheadMs = ordered.aheadMs;
    if (ordered.heapBytes === 0) ballast = [];
    while (getHeapStatistics().used_heap_size < ordered.heapBytes) {
      ballast.push(Array.from({ length: PIECE }, Math.random));
    }
  };
  setInterval(look, LOOKS_EVERY_MS).unref();
}

if (process.env['CHAOS_INSIDE'] !== undefined) obey();

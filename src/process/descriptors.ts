/** The file descriptors that this process may open, and how many of them connections to it may take. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import type { Observe } from '../observe.ts';
import type { Config } from './config.ts';

/** With fewer, `start` and `doctor` warn. */
export const DESCRIPTORS_ADVISED = 4_096;

/**
 * Descriptors that are kept for everything else: 100 for Node, the files and the connections to Postgres and Redis; for
 * a worker also sessions with gateways (at most 16 for each app and route), and 256 webhooks.
 */
const KEPT = { api: 256, worker: 1_024, all: 1_024 } as const satisfies Record<Config['role'], number>;
/** But never more than this part of a small limit. */
const KEPT_PART_MAX = 0.5;

/** An idle connection takes 14 KiB of memory (measured with 8,000 connections); requests take more. */
const HEAP_BYTES_PER_CONNECTION = 64 * 1024;

const report = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
});

/**
 * Call it before connections are open, because the report that it reads also resolves the names of their peers.
 * @returns the limit (`ulimit -n`), which Node has raised as far as it may; infinite if there is none
 */
export function readDescriptorLimit(): number {
  const read = report.safeParse(process.report.getReport());
  const soft = read.success ? read.data.userLimits.open_files.soft : 'unlimited';
  return soft === 'unlimited' ? Infinity : soft;
}

/** Reports a limit that leaves room for few connections. @returns the result of `connectionsMaxOf` */
export function readConnectionsMax(
  role: Config['role'],
  observe: Observe,
  limit = readDescriptorLimit(),
): number {
  const max = connectionsMaxOf(limit, role);
  if (limit < DESCRIPTORS_ADVISED) observe({ kind: 'few_descriptors', limit, connectionsMax: max });
  return max;
}

/** @returns the most connections that the servers of a process may have open at once, together */
export function connectionsMaxOf(descriptors: number, role: Config['role']): number {
  const kept = Math.min(KEPT[role], KEPT_PART_MAX * descriptors);
  const byMemory = getHeapStatistics().heap_size_limit / HEAP_BYTES_PER_CONNECTION;
  return Math.floor(Math.min(descriptors - kept, byMemory));
}

const CHECK_EVERY_MS = 1_000;

/**
 * Reports when no file can be opened any more, and when files can be opened again. Nothing else may report it, because
 * the system closes connections that cannot be accepted.
 * @returns a function that ends it
 */
export function watchDescriptors(observe: Observe): () => void {
  let usedUpSince: number | undefined;
  const timer = setInterval(() => {
    const error = openError();
    if (error !== undefined && usedUpSince === undefined) {
      usedUpSince = performance.now();
      observe({ kind: 'descriptors_used_up', message: error });
    } else if (error === undefined && usedUpSince !== undefined) {
      observe({ kind: 'descriptors_free', durationMs: Math.round(performance.now() - usedUpSince) });
      usedUpSince = undefined;
    }
  }, CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** @returns the code if the process (EMFILE) or the system (ENFILE) has no free descriptor */
function openError(): string | undefined {
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return code === 'EMFILE' || code === 'ENFILE' ? code : undefined;
  }
}

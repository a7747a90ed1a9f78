/** The memory that the system lets this process use. */
import { totalmem } from 'node:os';
import type { Observe } from '../observe.ts';
import type { Config } from './config.ts';

/**
 * For a process that is both API and worker. Measured: large requests and a bulk notification to 20,000 devices passed within
 * 400 MiB, and not within 256.
 */
export const CONTAINER_BYTES_ADVISED = 512 * 1024 * 1024;

/** @returns infinite if the limit of the container is not below the memory of the machine */
export function containerBytes(): number {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < totalmem() ? bytes : Infinity;
}

/** Reports a limit at which the system may end the process: nothing can be refused then. */
export function checkContainerMemory(
  role: Config['role'],
  observe: Observe,
  limit: number = containerBytes(),
): void {
  if (role === 'all' && limit < CONTAINER_BYTES_ADVISED) observe({ kind: 'little_memory', limit });
}

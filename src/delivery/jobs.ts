/** Which jobs a notification rings for. */
import type { Job } from '../queue/queue.ts';
import type { NotificationKey } from './slice-store.ts';

/**
 * Bells of one notification at most: each keeps one slice going, wherever a worker answers it. A finished
 * slice rings again at the back of its lane, so notifications take turns whatever their size.
 */
export const BELLS_MAX = 16;

/** The notification to look at; and the request that created it, for the log. */
type Ringing = NotificationKey & Pick<Job, 'requestId'>;

/** Planning is short and somebody may be waiting for it: always in the direct lane. */
export function planJob(key: Ringing): Job {
  return { lane: 'direct', kind: 'plan', ...key, bell: 0 };
}

export function deliverJobs(key: Ringing, lane: 'direct' | 'bulk', slices: number): Job[] {
  return Array.from({ length: Math.min(slices, BELLS_MAX) }, (_, bell) => ({
    lane,
    kind: 'deliver',
    ...key,
    bell,
  }));
}

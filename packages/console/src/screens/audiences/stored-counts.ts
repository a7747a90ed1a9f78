/**
 * Counts the audiences of a list in the background, two at a time, so that a page of audiences leaves most of the server's few slots for
 * counts to others. What was counted stays for the next look at the list, with its age. It counts filters and does not read the
 * audiences: the server would take that for a use of each.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import type { DeviceCount, ListedAudience } from '../../replies.ts';
import { bodyOf } from './live-count.ts';

export interface StoredCount {
  devices: number;
  atMs: number;
  /** Why it could not be counted. */
  failure?: string;
}

/** Older counts are shown until they have been counted again. */
const FRESH_MS = 600_000;

/** By the id of the audience and its last change. */
const counts = signal<ReadonlyMap<string, StoredCount>>(new Map());

/** @returns what is known of the number of devices of an audience */
export function useStoredCounts(
  audiences: readonly ListedAudience[],
): (one: ListedAudience) => StoredCount | undefined {
  useEffect(() => {
    const controller = new AbortController();
    const waiting = audiences.filter((audience) => {
      const { atMs = 0, failure } = counts.peek().get(keyOf(audience)) ?? {};
      return failure !== undefined || Date.now() - atMs > FRESH_MS;
    });
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const count = await countOf(next, controller.signal);
        if (controller.signal.aborted) return;
        counts.value = new Map(counts.peek()).set(keyOf(next), count);
      }
    };
    void Promise.all([work(), work()]);
    return () => controller.abort();
  }, [audiences.map(keyOf).join(' ')]);
  return (audience) => counts.value.get(keyOf(audience));
}

function keyOf({ id, updated_at: at }: ListedAudience): string {
  return `${id} ${at}`;
}

async function countOf(audience: ListedAudience, aborted: AbortSignal): Promise<StoredCount> {
  try {
    const reply = await call<DeviceCount | { audience: DeviceCount }>(countCall(audience), aborted);
    const { device_count: devices } = 'audience' in reply ? reply.audience : reply;
    return { devices, atMs: Date.now() };
  } catch (error) {
    return { devices: 0, atMs: Date.now(), failure: error instanceof Error ? error.message : String(error) };
  }
}

/** The list leaves out filters that are very long; such an audience has to be read. */
export function countCall({ id, filters }: Pick<ListedAudience, 'id' | 'filters'>): ApiCall {
  return filters === null
    ? { method: 'GET', path: `/v6/audiences/${id}` }
    : { method: 'POST', path: '/v6/audiences/count', body: bodyOf(filters) };
}

/**
 * The source of an event. A key with `write` belongs to a server: its events have the source of the public API, or another
 * one that it names. A key without `write` is embedded in an app and can be extracted. Its events have no source, because
 * audiences rely on what a source has reported.
 */
import type { Caller } from '../../apps/caller.ts';
import type { DeviceEvent } from '../../devices/events/record-events.ts';
import { ApiError, type FaultDetail } from '../../api/errors.ts';

const PUBLIC_API = 'Public Api';

/** @returns the source of an event that names none itself; null for a key without `write` */
export function eventSourceOf(caller: Caller): string | null {
  return caller.scopes.includes('write') ? PUBLIC_API : null;
}

/**
 * Filters name an event `<source>.<name>`, so names that begin with the source of the public API are refused as well.
 * @throws {ApiError} `forbidden`, with every event that the key may not report
 */
export function refuseForeignSources(caller: Caller, events: readonly DeviceEvent[]): void {
  if (caller.scopes.includes('write')) return;
  const message = 'needs a key with the permission write: events of the SDK have no source';
  const details = events.flatMap(({ name, source }, index): FaultDetail[] => {
    if (typeof source === 'string') return [{ path: `events[${index}].source`, message }];
    if (name.startsWith(`${PUBLIC_API}.`)) return [{ path: `events[${index}].name`, message }];
    return [];
  });
  if (details.length === 0) return;
  throw new ApiError('forbidden', {
    message: 'The API key lacks the permission to name the source of an event: write.',
    details,
  });
}

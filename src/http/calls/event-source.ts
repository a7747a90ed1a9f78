/**
 * Who may say where an event comes from. A server's key (one that may write) reports through the public API, and may
 * name another source. A key that an app embeds speaks for the SDK, whose events have no source: anybody may dig it
 * out, and audiences are made of what a source has reported.
 */
import type { AuthenticatedKey } from '../../apps/api-keys.ts';
import type { DeviceEvent } from '../../devices/events/record-events.ts';
import { ApiError, type FaultDetail } from '../../errors.ts';

const PUBLIC_API = 'Public Api';

/** The source of an event that names none; null is none at all. */
export function eventSourceOf(caller: AuthenticatedKey): string | null {
  return caller.scopes.includes('write') ? PUBLIC_API : null;
}

/**
 * An event is known by `<source>.<name>`, so a name that begins as those of the public API do is refused as well.
 * @throws {ApiError} `forbidden`, with every event that the key may not report
 */
export function refuseForeignSources(caller: AuthenticatedKey, events: readonly DeviceEvent[]): void {
  if (caller.scopes.includes('write')) return;
  const message = 'is for keys with the permission write: events of the SDK have no source';
  const details = events.flatMap(({ name, source }, index): FaultDetail[] => {
    if (typeof source === 'string') return [{ path: `events[${index}].source`, message }];
    if (name.startsWith(`${PUBLIC_API}.`)) return [{ path: `events[${index}].name`, message }];
    return [];
  });
  if (details.length === 0) return;
  throw new ApiError('forbidden', {
    message: 'The API key lacks the permission that a source of events needs: write.',
    details,
  });
}

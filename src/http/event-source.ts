import type { AuthenticatedKey } from '../apps/api-keys.ts';

/**
 * What an event is said to come from where its reporter does not say: a server's key (one that may write)
 * reports through the public API; a key that an app embeds speaks for the SDK, whose events have no source.
 */
export function eventSourceOf(caller: AuthenticatedKey): string | null {
  return caller.scopes.includes('write') ? 'Public Api' : null;
}

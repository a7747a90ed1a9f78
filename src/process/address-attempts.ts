/** Sets the time for each address when connecting to a name with several addresses. */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * Node gives each address but the last 250 ms to accept a connection, too little for a distant host on a slow line; so
 * it gives up a working address (nodejs/node#54359). RFC 8305 (section 5) allows up to two seconds between two
 * attempts.
 */
const ATTEMPT_MS = 1_000;

/** Applies to all sockets of this thread, including those of Postgres, Redis and `fetch`. Each thread must call it. */
export function giveEachAddressTime(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);
}

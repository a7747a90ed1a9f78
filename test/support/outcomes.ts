/** A leased slice and its outcomes, for tests without a database. */
import { randomUUID } from 'node:crypto';
import { SliceOutcomes } from '../../src/delivery/outcomes/slice-outcomes.ts';
import type { LeasedSlice } from '../../src/delivery/slice-store.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { tokenKey } from './token-keys.ts';

export function leasedSlice(changes: Partial<LeasedSlice> = {}): LeasedSlice {
  const [appId, notificationId, firstId, lastId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const origin = { requestId: 'request-1', traceparent: null };
  return { appId, notificationId, number: 3, attempt: 1, origin, firstId, lastId, earlier: [], ...changes };
}

/** @param earlier what earlier attempts saved */
export function sliceOutcomes(earlier: readonly Buffer[] = []): SliceOutcomes {
  return new SliceOutcomes({
    slice: leasedSlice({ earlier }),
    tokenKey,
    unsaved: new UnsavedOutcomes(),
  });
}

/** Records the same outcome for devices to which nothing is sent. */
import type { Observe } from '../../observe.ts';
import { gatewayOf, routeTo } from '../../route.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { ofNotification } from '../slice-store.ts';
import type { OutcomeKind } from './packed.ts';
import type { SliceOutcomes } from './slice-outcomes.ts';

/** @param devices sorted by id; their ids follow those of earlier calls. Those that have an outcome keep it */
export function recordAll(
  outcomes: SliceOutcomes,
  devices: readonly MatchingDevice[],
  { outcome, reason }: { outcome: OutcomeKind; reason: string | null },
  { now, observe }: { now: Date; observe: Observe },
): void {
  const of = ofNotification(outcomes.slice);
  const pending = outcomes.pending(devices);
  const firstRow = outcomes.add(pending);
  for (const [index, device] of pending.entries()) {
    outcomes.set(firstRow + index, outcome, reason, now.getTime());
    const gateway = gatewayOf(routeTo(device));
    const isIphoneByFcm = device.push_token_type === 'fcm';
    observe({ kind: 'push_finished', ...of, gateway, isIphoneByFcm, outcome, reason });
  }
}

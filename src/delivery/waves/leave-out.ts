/** Records the outcome of devices to which nothing is sent because of their moment. */
import { gatewayOf, routeTo } from '../../route.ts';
import type { Observe } from '../../observe.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import type { Wave } from './wave.ts';

/** @param devices sorted by id; their ids follow those of earlier calls */
export function leaveOut(
  outcomes: SliceOutcomes,
  devices: readonly MatchingDevice[],
  { action, reason }: Pick<Wave, 'action' | 'reason'>,
  { now, observe, of }: { now: Date; observe: Observe; of: { notificationId: string; requestId: string } },
): void {
  const pending = outcomes.pending(devices);
  const firstRow = outcomes.add(pending);
  const outcome = action === 'expire' ? 'expired' : 'dropped';
  for (const [index, device] of pending.entries()) {
    outcomes.set(firstRow + index, outcome, reason, now.getTime());
    const gateway = gatewayOf(routeTo(device));
    const isIphoneByFcm = device.push_token_type === 'fcm';
    observe({ kind: 'push_finished', ...of, gateway, isIphoneByFcm, outcome, reason });
  }
}

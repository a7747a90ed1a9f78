/** Records the same outcome for devices to which nothing is sent. */
import type { Clock } from '../../clock.ts';
import type { Observe } from '../../observe.ts';
import { gatewayOf, routeTo } from '../../route.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { ofNotification } from '../slice-store.ts';
import type { OutcomeKind } from './packed.ts';
import type { SliceOutcomes } from './slice-outcomes.ts';

/**
 * @param pages sorted by id; devices that have an outcome keep it
 * @throws the error of the pages; what was recorded by then is given up, and does not count as unsaved
 */
export async function recordAll(
  outcomes: SliceOutcomes,
  pages: AsyncIterable<readonly MatchingDevice[]>,
  { outcome, reason }: { outcome: OutcomeKind; reason: string | null },
  { clock, observe }: { clock: Clock; observe: Observe },
): Promise<void> {
  const of = ofNotification(outcomes.slice);
  try {
    for await (const page of pages) {
      const pending = outcomes.pending(page);
      const firstRow = outcomes.add(pending);
      const atMs = clock().getTime();
      for (const [index, device] of pending.entries()) {
        outcomes.set(firstRow + index, outcome, reason, atMs);
        const gateway = gatewayOf(routeTo(device));
        const isIphoneByFcm = device.push_token_type === 'fcm';
        observe({ kind: 'push_finished', ...of, gateway, isIphoneByFcm, outcome, reason });
      }
    }
  } catch (error) {
    outcomes.failed(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

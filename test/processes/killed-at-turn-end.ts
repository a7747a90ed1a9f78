/**
 * Knows the outcomes of a slice, and is killed at the end of that turn of the event loop, before it would send anything
 * more. Run by `handed-over.test.ts`.
 */
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { Progress } from '../../src/delivery/outcomes/batch.ts';
import { recordParts } from '../../src/delivery/outcomes/save.ts';
import { SliceRecord } from '../../src/delivery/outcomes/recorder.ts';
import { leaseNextSlice } from '../../src/delivery/slice-store.ts';
import { UnrecordedOutcomes } from '../../src/gateways/in-flight-budget.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { atTurnEnd } from '../../src/flush-order.ts';
import { tokenKey } from '../support/token-keys.ts';

const [appId = '', notificationId = ''] = process.argv.slice(2);
const db = connectDatabase({ connectionString: process.env['DATABASE_URL'] ?? '', observe });
const slice = await leaseNextSlice(db, { appId, notificationId }, new Date());
if (slice === undefined) throw new Error('there is no slice');
const devices = await db
  .selectFrom('devices')
  .select(['id', 'push_token'])
  .where('app_id', '=', appId)
  .orderBy('id')
  .execute();

const unrecorded = new UnrecordedOutcomes();
const record = new SliceRecord({
  slice,
  tokenKey,
  unrecorded,
  progress: new Progress(
    async (parts) => recordParts({ db, clock: systemClock, observe }, parts),
    unrecorded,
  ),
  end: async () => 'sending',
});
record.add(devices);
atTurnEnd('send', () => process.kill(process.pid, 'SIGKILL'));
for (const [row, { id, push_token: pushToken }] of devices.entries()) {
  if (row % 50 === 0) {
    record.tokenDied({ deviceId: id, pushToken: pushToken ?? '', deadSince: null, reason: 'Unregistered' });
    record.settle(row, 'unregistered', 'Unregistered', Date.now());
  } else {
    record.settle(row, 'accepted', null, Date.now());
  }
}

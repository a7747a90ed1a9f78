/**
 * A process that knows the outcomes of a slice and is killed at the end of that turn of the event loop, before it sends
 * anything more. Run by `handed-over.test.ts`.
 */
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { OutcomeSaver } from '../../src/delivery/outcomes/outcome-saver.ts';
import { openOutcomeStore } from '../../src/delivery/outcomes/store.ts';
import { leaseNextSlice } from '../../src/delivery/slice-store.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { atTurnEnd } from '../../src/scheduling/flush-order.ts';
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

const store = openOutcomeStore({ db, clock: systemClock, observe, random: Math.random });
const saver = new OutcomeSaver(store, new UnsavedOutcomes());
const outcomes = saver.open(slice, tokenKey);
outcomes.add(devices);
atTurnEnd('send', () => process.kill(process.pid, 'SIGKILL'));
for (const [row, { id, push_token: pushToken }] of devices.entries()) {
  if (row % 50 === 0) {
    outcomes.addDeadToken({
      deviceId: id,
      pushToken: pushToken ?? '',
      deadSince: null,
      reason: 'Unregistered',
    });
    saver.record(outcomes, row, 'unregistered', 'Unregistered', Date.now());
  } else {
    saver.record(outcomes, row, 'accepted', null, Date.now());
  }
}

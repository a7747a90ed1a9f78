/** The button that cancels, and the number of pushes that are already out. */
import { ActionButton } from '../../kit/action.tsx';
import { formatNumber, plural } from '../../kit/format.ts';
import { type Counters, isOver, type Notification, notificationPath } from './notification.tsx';

type Canceled = Pick<Counters, 'state' | 'accepted' | 'ambiguous' | 'pending' | 'devices'>;

/** @param props.counters the latest ones */
export function CancelButton(props: { id: string; counters: Canceled; onDone: (canceled: Notification) => void }) {
  const { id, counters, onDone } = props;
  if (isOver(counters)) return null;
  const isSending = counters.state === 'sending';
  return (
    <ActionButton
      label={isSending ? 'Cancel sending' : 'Cancel the notification'}
      kind="danger"
      needs="sender"
      call={{ method: 'POST', path: `${notificationPath(id)}/cancel` }}
      confirm={{
        title: isSending ? 'Cancel a notification that is being sent?' : 'Cancel this notification?',
        text: isSending ? <AlreadyOut counters={counters} /> : 'It has not started. It will be sent to nobody.',
      }}
      done="The notification is canceled."
      onDone={onDone}
    />
  );
}

function AlreadyOut({ counters }: { counters: Canceled }) {
  const { accepted, ambiguous, pending, devices } = counters;
  return (
    <div class="stack">
      <p>
        <strong>{plural(accepted, 'push', 'pushes')}</strong> of {formatNumber(devices)}
        {accepted === 1 ? ' is' : ' are'} already out, and cannot be called back.
        {ambiguous > 0 && <> {formatNumber(ambiguous)} more may have arrived.</>}
      </p>
      <p>
        {plural(pending, 'device')} {pending === 1 ? 'waits' : 'wait'} and will not get it, but for pushes that are on
        their way: workers stop within some 4 seconds.
      </p>
    </div>
  );
}

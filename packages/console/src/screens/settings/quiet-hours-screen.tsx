/** The quiet hours of the app: hours of each device's own clock in which its notifications are held, or not sent. */
import { useState } from 'preact/hooks';
import { may } from '../../frame/session.ts';
import { ActionButton, ActionForm } from '../../kit/action.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { useReply, Waiting } from '../../kit/states.tsx';
import type { QuietHoursRule } from '../../replies.ts';
import { SettingsPage } from './page.tsx';

const path = '/v6/app/quiet-hours';
const PROPOSED: QuietHoursRule = { from: '22:00', to: '08:00', no_time_zone: 'ignore', action: 'hold' };

const RELEASES = [
  { value: '', label: 'All at once' },
  { value: 'PT15M', label: 'Evenly within 15 minutes' },
  { value: 'PT30M', label: 'Evenly within 30 minutes' },
  { value: 'PT1H', label: 'Evenly within an hour' },
];

export function QuietHoursTab() {
  const read = useReply<{ quiet_hours: QuietHoursRule | null }>({ method: 'GET', path });
  return (
    <SettingsPage
      title="Quiet hours"
      text={
        <>
          At night nobody wants a push. In these hours of each device’s own clock, notifications wait, unless they say{' '}
          <code>"quiet_hours": "ignore"</code>.
        </>
      }>
      <Waiting of={read} what="Reading the quiet hours" />
      {read.data !== undefined && (
        <QuietHoursForm key={JSON.stringify(read.data)} hours={read.data.quiet_hours} onDone={read.reload} />
      )}
    </SettingsPage>
  );
}

function QuietHoursForm({ hours, onDone }: { hours: QuietHoursRule | null; onDone: () => void }) {
  const [edited, setEdited] = useState(hours ?? PROPOSED);
  const { release_over: release = '', ...rest } = edited;
  return (
    <ActionForm
      label="Save"
      call={{ method: 'PUT', path, body: { quiet_hours: edited } }}
      isComplete={may('admin')}
      done="The quiet hours are saved."
      onDone={onDone}
      further={
        hours !== null && (
          <ActionButton
            label="Remove"
            kind="danger"
            needs="admin"
            call={{ method: 'PUT', path, body: { quiet_hours: null } }}
            done="The app no longer has quiet hours."
            onDone={onDone}
            confirm={{
              title: 'Remove the quiet hours?',
              text: 'Notifications that are created from now on are sent at any hour.',
            }}
          />
        )
      }>
      <p>
        <strong>{hours === null ? 'This app has no quiet hours.' : 'These quiet hours apply.'}</strong>
      </p>
      <div class="in-line">
        <TextField label="From" type="time" value={edited.from} onInput={(from) => setEdited({ ...edited, from })} />
        <TextField label="To" type="time" value={edited.to} onInput={(to) => setEdited({ ...edited, to })} />
      </div>
      {edited.days !== undefined && <p class="muted">They begin on {edited.days.join(', ')}.</p>}
      <Select
        label="Then"
        value={edited.action ?? 'hold'}
        options={[
          { value: 'hold', label: 'Hold until they end' },
          { value: 'drop', label: 'Do not send' },
        ]}
        onChange={(action) => setEdited({ ...edited, action })}
      />
      <Select
        label="When they end, send"
        value={release}
        options={RELEASES}
        onChange={(chosen) => setEdited(chosen === '' ? rest : { ...rest, release_over: chosen })}
      />
      <TextField
        label="Devices without a time zone"
        hint="The name of a time zone, such as Europe/Berlin, or ignore: these devices get a push at any hour."
        value={edited.no_time_zone}
        onInput={(zone) => setEdited({ ...edited, no_time_zone: zone.trim() })}
        code
      />
    </ActionForm>
  );
}

/** The quiet hours of the app: hours of each device's own clock in which its notifications are held, or not sent. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { app, may } from '../../frame/session.ts';
import { ActionButton, useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Form, Select, TextField } from '../../kit/form.tsx';
import { useResource } from '../../kit/resource.ts';
import { Failure, Waiting } from '../../kit/states.tsx';
import { SettingsPage } from './page.tsx';
import type { QuietHoursRule } from '../../replies.ts';

const path = '/v6/app/quiet-hours';
const read: ApiCall = { method: 'GET', path };
const NONE: ApiCall = { method: 'PUT', path, body: { quiet_hours: null } };
const PROPOSED: QuietHoursRule = { from: '22:00', to: '08:00', no_time_zone: 'ignore', action: 'hold' };

const RELEASES = [
  { value: '', label: 'All at once' },
  { value: 'PT15M', label: 'Evenly within 15 minutes' },
  { value: 'PT30M', label: 'Evenly within 30 minutes' },
  { value: 'PT1H', label: 'Evenly within an hour' },
];

export function QuietHoursTab() {
  const { state, reload } = useResource(
    async (signal) => call<{ quiet_hours: QuietHoursRule | null }>(read, signal),
    [app.value?.id],
  );
  const { data } = state.value;
  return (
    <SettingsPage
      title="Quiet hours"
      text={
        <>
          At night nobody wants a push. In these hours of each device’s own clock, notifications wait, unless they say{' '}
          <code>"quiet_hours": "ignore"</code>.
        </>
      }>
      <Curl call={read} />
      <Waiting of={state.value} retry={reload} what="Reading the quiet hours" />
      {data !== undefined && (
        <QuietHoursForm
          key={JSON.stringify(data)}
          hours={data.quiet_hours}
          onDone={(text) => {
            announce(text);
            reload();
          }}
        />
      )}
    </SettingsPage>
  );
}

function QuietHoursForm(props: { hours: QuietHoursRule | null; onDone: (text: string) => void }) {
  const { hours, onDone } = props;
  const [edited, setEdited] = useState(hours ?? PROPOSED);
  const request: ApiCall = { method: 'PUT', path, body: { quiet_hours: edited } };
  const { run, isBusy, error } = useAction<unknown>({
    call: request,
    onDone: () => onDone('The quiet hours are saved.'),
  });
  const { release_over: release = '', ...rest } = edited;
  const releases = RELEASES.some(({ value }) => value === release)
    ? RELEASES
    : [...RELEASES, { value: release, label: release }];
  return (
    <Form onSubmit={run}>
      <p>
        <strong>{hours === null ? 'This app has no quiet hours.' : 'These quiet hours apply.'}</strong>
      </p>
      <div class="settings-hours">
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
        options={releases}
        onChange={(chosen) => setEdited(chosen === '' ? rest : { ...rest, release_over: chosen })}
      />
      <TextField
        label="Devices without a time zone"
        hint="The name of a time zone, such as Europe/Berlin, or ignore: these devices get a push at any hour."
        value={edited.no_time_zone}
        onInput={(zone) => setEdited({ ...edited, no_time_zone: zone.trim() })}
        code
      />
      {error !== undefined && <Failure error={error} />}
      <footer class="buttons">
        <button class="primary" disabled={isBusy || !may('admin')}>
          Save
        </button>
        <Curl call={request} />
        {hours !== null && (
          <ActionButton
            label="Remove"
            kind="danger"
            needs="admin"
            call={NONE}
            onDone={() => onDone('The app no longer has quiet hours.')}
            confirm={{
              title: 'Remove the quiet hours?',
              text: <p>Notifications that are created from now on are sent at any hour.</p>,
            }}
          />
        )}
      </footer>
    </Form>
  );
}

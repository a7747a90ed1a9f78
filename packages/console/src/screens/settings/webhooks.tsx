/** The webhooks of the app: create (the secret is shown once), test, remove, and the state of their events. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { app, appAddress, may } from '../../frame/session.ts';
import { ActionDialog } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { TextField } from '../../kit/form.tsx';
import { listed, plural } from '../../kit/format.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Waiting } from '../../kit/states.tsx';
import { Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { Choices } from './choices.tsx';
import { SettingsPage } from './page.tsx';
import { SecretDialog } from './secret.tsx';
import type { Webhook } from '../../replies.ts';

const list: ApiCall = { method: 'GET', path: '/v6/webhooks' };
/** The server counts waiting events up to this number. */
const COUNTED_MAX = 1_000;
const events = ['notification.sent', 'notification.failed', 'device.unregistered'] as const;
const eventNames: Readonly<Record<(typeof events)[number], string>> = {
  'notification.sent': 'Sent',
  'notification.failed': 'Failed',
  'device.unregistered': 'Token dead',
};

export function Webhooks() {
  const { state, reload } = useResource(async (signal) => call<{ webhooks: Webhook[] }>(list, signal), [app.value?.id]);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const { data } = state.value;
  const columns = [
    {
      title: 'Address',
      cell: ({ url, events: chosen }: Webhook) => (
        <TwoLines
          name={<bdi class="settings-url">{url}</bdi>}
          text={listed(chosen.map((event) => eventNames[event]))}
        />
      ),
    },
    { title: 'State', cell: (webhook: Webhook) => <Health webhook={webhook} /> },
  ];
  return (
    <SettingsPage
      title="Webhooks"
      text="Addresses of yours to which events are sent, signed, and repeated for up to a day."
      actions={
        <button type="button" class="primary" disabled={!may('admin')} onClick={() => setCreating(true)}>
          New webhook
        </button>
      }>
      <Curl call={list} />
      <Waiting of={state.value} retry={reload} what="Reading the webhooks" />
      {data?.webhooks.length === 0 && (
        <Empty title="No webhook yet">
          <p>With one, your server learns that a notification was sent or a push token is dead.</p>
        </Empty>
      )}
      {data !== undefined && data.webhooks.length > 0 && (
        <div class="table-frame">
          <Table
            label="Webhooks"
            columns={columns}
            rows={data.webhooks}
            keyOf={({ id }: Webhook) => id}
            hrefOf={({ id }: Webhook) => appAddress(`settings/webhooks/${id}`)}
          />
        </div>
      )}
      {isCreating && (
        <NewWebhook
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setSecret(created);
            announce('The webhook is created.');
            reload();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog title="The secret that signs its events" secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </SettingsPage>
  );
}

/** Whether its receiver takes what it is sent. */
export function Health({ webhook }: { webhook: Webhook }) {
  const { failing_since: since, last_failure: failure, waiting_events: waiting } = webhook;
  return (
    <TwoLines
      name={since === null ? <Badge tone="good">Working</Badge> : <Badge tone="bad">Refusing</Badge>}
      text={
        <>
          {since !== null && (
            <>
              since <TimeAgo at={since} />, {failure?.replace(/^status/, 'answer')};{' '}
            </>
          )}
          {waiting === 0
            ? 'nothing waits'
            : `${plural(waiting, 'event')}${waiting === COUNTED_MAX ? ' or more' : ''} waiting`}
        </>
      }
    />
  );
}

function NewWebhook(props: { onClose: () => void; onCreated: (secret: string) => void }) {
  const { onClose, onCreated } = props;
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(events);
  const request: ApiCall = {
    method: 'POST',
    path: '/v6/webhooks',
    body: { webhook: { url: url.trim(), events: chosen } },
  };
  return (
    <ActionDialog
      title="New webhook"
      label="Create"
      call={request}
      isComplete={url !== '' && chosen.length > 0}
      onDone={({ webhook }: { webhook: { secret: string } }) => onCreated(webhook.secret)}
      onClose={onClose}>
      <TextField
        label="Address"
        type="url"
        hint="https, with a public address."
        value={url}
        onInput={setUrl}
        autofocus
      />
      <Choices
        legend="Events"
        all={events.map((name) => ({ value: name, label: `${eventNames[name]} (${name})` }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </ActionDialog>
  );
}

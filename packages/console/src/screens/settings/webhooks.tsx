/** The webhooks of the app: create (the secret is shown once), test, remove, and the state of their events. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { app, appAddress, may } from '../../frame/session.ts';
import { ActionDialog } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { Choices } from './choices.tsx';
import { SecretDialog } from './secret.tsx';
import { SettingsTabs } from './tabs.tsx';
import type { Webhook } from '../../replies.ts';

const list: ApiCall = { method: 'GET', path: '/v6/webhooks' };
const events = ['notification.sent', 'notification.failed', 'device.unregistered'] as const;

export function Webhooks(): Content {
  const { state, reload } = useResource(async (signal) => call<{ webhooks: Webhook[] }>(list, signal), [app.value?.id]);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const { data, error, isLoading } = state.value;
  const columns = [
    { title: 'Address', cell: ({ url }: Webhook) => <bdi class="settings-url">{url}</bdi> },
    { title: 'Events', cell: (webhook: Webhook) => webhook.events.join(', ') },
    { title: 'Created', cell: ({ created_at: at }: Webhook) => <TimeAgo at={at} /> },
  ];
  return (
    <div class="stack">
      <h1>Settings</h1>
      <SettingsTabs />
      <div class="screen-head">
        <p class="muted">Addresses of yours to which events are sent, signed, and repeated for up to a day.</p>
        <div class="buttons">
          <Curl call={list} />
          <button type="button" class="primary" disabled={!may('admin')} onClick={() => setCreating(true)}>
            New webhook
          </button>
        </div>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && isLoading && <Loading what="Reading the webhooks" />}
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
    </div>
  );
}

function NewWebhook(props: { onClose: () => void; onCreated: (secret: string) => void }): Content {
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
        all={events.map((name) => ({ value: name, label: name }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </ActionDialog>
  );
}

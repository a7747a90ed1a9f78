/** The webhooks of the app: create (the secret is shown once), and the state of their events. */
import { useState } from 'preact/hooks';
import { appAddress } from '../../frame/session.ts';
import { ActionDialog } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { TextField } from '../../kit/form.tsx';
import { listed, plural } from '../../kit/format.ts';
import { Empty, useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Webhook } from '../../replies.ts';
import { Choices } from './choices.tsx';
import { SettingsPage } from './page.tsx';
import { SecretDialog } from './secret.tsx';

/** The server counts waiting events up to this number. */
const COUNTED_MAX = 1_000;
const eventNames: Readonly<Record<Webhook['events'][number], string>> = {
  'notification.sent': 'Sent',
  'notification.failed': 'Failed',
  'device.unregistered': 'Token dead',
};

const columns: readonly Column<Webhook>[] = [
  {
    title: 'Address',
    cell: ({ url, events }) => <TwoLines name={url} text={listed(events.map((event) => eventNames[event]))} />,
  },
  { title: 'State', cell: (webhook) => <Health webhook={webhook} /> },
];

export function Webhooks() {
  const webhooks = useReply<{ webhooks: Webhook[] }>({ method: 'GET', path: '/v6/webhooks' });
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  return (
    <SettingsPage
      title="Webhooks"
      text="Addresses of yours to which events are sent, signed, and repeated for up to a day."
      action={{ label: 'New webhook', onClick: () => setCreating(true) }}>
      <List
        of={webhooks}
        label="Webhooks"
        columns={columns}
        rows={webhooks.data?.webhooks}
        hrefOf={({ id }) => appAddress(`settings/webhooks/${id}`)}>
        <Empty title="No webhook yet">
          <p>With one, your server learns that a notification was sent or a push token is dead.</p>
        </Empty>
      </List>
      {isCreating && (
        <NewWebhook
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setSecret(created);
            webhooks.reload();
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

function NewWebhook({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>(Object.keys(eventNames));
  return (
    <ActionDialog
      title="New webhook"
      label="Create"
      call={{ method: 'POST', path: '/v6/webhooks', body: { webhook: { url: url.trim(), events } } }}
      isComplete={url !== '' && events.length > 0}
      done="The webhook is created."
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
        all={Object.entries(eventNames).map(([value, name]) => ({ value, label: `${name} (${value})` }))}
        chosen={events}
        onChange={setEvents}
      />
    </ActionDialog>
  );
}

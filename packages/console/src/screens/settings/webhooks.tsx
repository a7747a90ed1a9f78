/** The webhooks of the app: create (the secret is shown once), the state of their events, and "send again". */
import { useState } from 'preact/hooks';
import { go } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.tsx';
import { appAddress } from '../../frame/session.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { listed, plural } from '../../kit/format.ts';
import { Empty, useReply, Waiting } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Webhook, WebhookDelivery } from '../../replies.ts';
import { Choices, SecretButton, SettingsPage } from './page.tsx';

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
  return (
    <SettingsPage
      title="Webhooks"
      text="Addresses of yours to which events are sent, signed, and repeated for up to a day."
      actions={
        <SecretButton
          label="New webhook"
          title="The secret that signs its events"
          onMade={webhooks.reload}
          dialog={(close, onSecret) => <NewWebhook onClose={close} onCreated={onSecret} />}
        />
      }>
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
    </SettingsPage>
  );
}

/** Whether its receiver takes what it is sent. */
function Health({ webhook }: { webhook: Webhook }) {
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
  const [events, setEvents] = useState<readonly string[]>(Object.keys(eventNames));
  return (
    <ActionDialog
      title="New webhook"
      label="Create"
      call={({ url }) => ({ method: 'POST', path: '/v6/webhooks', body: { webhook: { url, events } } })}
      fields={{ url: { label: 'Address', type: 'url', hint: 'https, with a public address.', autofocus: true } }}
      isComplete={events.length > 0}
      done="The webhook is created."
      onDone={({ webhook }: { webhook: { secret: string } }) => onCreated(webhook.secret)}
      onClose={onClose}>
      <Choices
        legend="Events"
        all={Object.entries(eventNames).map(([value, name]) => ({ value, label: `${name} (${value})` }))}
        chosen={events}
        onChange={setEvents}
      />
    </ActionDialog>
  );
}

const states: Readonly<Record<WebhookDelivery['state'], { label: string; tone: Tone }>> = {
  waiting: { label: 'Waiting', tone: 'busy' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Given up', tone: 'bad' },
};

/** One webhook: the latest events, and the answers of its receiver. */
export function OneWebhook({ params: { webhook_id: id } }: ScreenProps<'settings/webhooks/:webhook_id'>) {
  const path = `/v6/webhooks/${encodeURIComponent(id)}`;
  const webhook = useReply<{ webhook: Webhook }>({ method: 'GET', path });
  const events = useReply<{ deliveries: WebhookDelivery[] }>({ method: 'GET', path: `${path}/deliveries` });
  const reload = (): void => {
    webhook.reload();
    events.reload();
  };
  const actions = (
    <>
      <button type="button" onClick={reload}>
        Refresh
      </button>
      <ActionButton
        label="Send a test event"
        needs="admin"
        call={{ method: 'POST', path: `${path}/test` }}
        done="A test event is queued."
        onDone={reload}
      />
      <ActionButton
        label="Remove"
        kind="danger"
        needs="admin"
        call={{ method: 'DELETE', path }}
        done="The webhook is removed."
        onDone={() => go(appAddress('settings/webhooks'))}
        confirm={{ title: 'Remove this webhook?', text: 'Its events are removed too, even unsent ones.' }}
      />
    </>
  );
  return (
    <SettingsPage title="Webhook" text={<a href={appAddress('settings/webhooks')}>All webhooks</a>} actions={actions}>
      <Waiting of={webhook} what="Reading the webhook" />
      {webhook.data !== undefined && (
        <>
          <h2>
            <bdi>{webhook.data.webhook.url}</bdi>
          </h2>
          <Health webhook={webhook.data.webhook} />
          <List of={events} label="Latest events" columns={eventColumns(path, reload)} rows={events.data?.deliveries}>
            <Empty title="No event in the last 7 days" />
          </List>
        </>
      )}
    </SettingsPage>
  );
}

const eventColumns = (path: string, reload: () => void): readonly Column<WebhookDelivery>[] => [
  { title: 'Event', cell: ({ type, created_at: at }) => <TwoLines name={type} text={<TimeAgo at={at} />} /> },
  {
    title: 'State',
    cell: (delivery) => (
      <TwoLines
        name={<Badge tone={states[delivery.state].tone}>{states[delivery.state].label}</Badge>}
        text={answerOf(delivery)}
      />
    ),
  },
  {
    title: 'Actions',
    align: 'end',
    cell: ({ id }) => (
      <ActionButton
        label="Send again"
        needs="admin"
        call={{ method: 'POST', path: `${path}/deliveries/${id}/retry` }}
        done="The event is queued."
        onDone={reload}
      />
    ),
  },
];

function answerOf(delivery: WebhookDelivery) {
  const { last_status: status, last_error: error, next_attempt_at: next, attempts } = delivery;
  return (
    <>
      {attempts === 0 ? 'Not sent yet' : `Answer ${status ?? error ?? 'none'} to ${plural(attempts, 'attempt')}`}
      {next !== null && <>, next {new Date(next).getTime() > Date.now() ? <TimeAgo at={next} /> : 'any moment'}</>}
    </>
  );
}

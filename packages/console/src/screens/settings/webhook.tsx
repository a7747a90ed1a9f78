/** One webhook: the latest events, the answers of its receiver, and "send again". */
import { go } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.tsx';
import { appAddress } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { plural } from '../../kit/format.ts';
import { Empty, useReply, Waiting } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Webhook, WebhookDelivery } from '../../replies.ts';
import { SettingsPage } from './page.tsx';
import { Health } from './webhooks.tsx';

const states: Readonly<Record<WebhookDelivery['state'], { label: string; tone: Tone }>> = {
  waiting: { label: 'Waiting', tone: 'busy' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Given up', tone: 'bad' },
};

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
          <List of={events} label="Latest events" columns={columns(path, reload)} rows={events.data?.deliveries}>
            <Empty title="No event in the last 7 days" />
          </List>
        </>
      )}
    </SettingsPage>
  );
}

const columns = (path: string, reload: () => void): readonly Column<WebhookDelivery>[] => [
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

/** One webhook: the latest events, the answers of its receiver, and "send again". */
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.tsx';
import { app, appAddress } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { plural } from '../../kit/format.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Waiting } from '../../kit/states.tsx';
import { Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { SettingsPage } from './page.tsx';
import { Health } from './webhooks.tsx';
import type { Webhook, WebhookDelivery } from '../../replies.ts';

const states: Readonly<Record<WebhookDelivery['state'], { label: string; tone: Tone }>> = {
  waiting: { label: 'Waiting', tone: 'busy' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Given up', tone: 'bad' },
};

export function OneWebhook({ params: { webhook_id: id } }: ScreenProps<'settings/webhooks/:webhook_id'>) {
  const path = `/v6/webhooks/${encodeURIComponent(id)}`;
  const list: ApiCall = { method: 'GET', path: `${path}/deliveries` };
  const { state, reload } = useResource(
    async (signal) => {
      const [{ webhook }, { deliveries }] = await Promise.all([
        call<{ webhook: Webhook }>({ method: 'GET', path }, signal),
        call<{ deliveries: WebhookDelivery[] }>(list, signal),
      ]);
      return { webhook, deliveries };
    },
    [app.value?.id, path],
  );
  const { data } = state.value;
  const actions = (
    <>
      <button type="button" onClick={reload}>
        Refresh
      </button>
      <ActionButton
        label="Send a test event"
        needs="admin"
        call={{ method: 'POST', path: `${path}/test` }}
        onDone={() => {
          announce('A test event is queued.');
          reload();
        }}
      />
      <ActionButton
        label="Remove"
        kind="danger"
        needs="admin"
        call={{ method: 'DELETE', path }}
        onDone={() => {
          announce('The webhook is removed.');
          go(appAddress('settings/webhooks'));
        }}
        confirm={{
          title: 'Remove this webhook?',
          text: <p>Its events are removed too, even unsent ones.</p>,
        }}
      />
    </>
  );
  return (
    <SettingsPage title="Webhook" text={<a href={appAddress('settings/webhooks')}>All webhooks</a>} actions={actions}>
      <Curl call={list} />
      <Waiting of={state.value} retry={reload} what="Reading the webhook" />
      {data !== undefined && (
        <>
          <h2>
            <bdi class="settings-url">{data.webhook.url}</bdi>
          </h2>
          <Health webhook={data.webhook} />
          <Deliveries path={path} deliveries={data.deliveries} reload={reload} />
        </>
      )}
    </SettingsPage>
  );
}

function Deliveries(props: { path: string; deliveries: readonly WebhookDelivery[]; reload: () => void }) {
  const { path, deliveries, reload } = props;
  if (deliveries.length === 0) return <Empty title="No event in the last 7 days" />;
  const columns = [
    {
      title: 'Event',
      cell: ({ type, created_at: at }: WebhookDelivery) => <TwoLines name={type} text={<TimeAgo at={at} />} />,
    },
    {
      title: 'State',
      cell: (delivery: WebhookDelivery) => (
        <TwoLines
          name={<Badge tone={states[delivery.state].tone}>{states[delivery.state].label}</Badge>}
          text={answerOf(delivery)}
        />
      ),
    },
    {
      title: 'Actions',
      align: 'end' as const,
      cell: ({ id }: WebhookDelivery) => (
        <ActionButton
          label="Send again"
          needs="admin"
          call={{ method: 'POST', path: `${path}/deliveries/${id}/retry` }}
          onDone={() => {
            announce('The event is queued.');
            reload();
          }}
        />
      ),
    },
  ];
  return (
    <div class="table-frame">
      <Table label="Latest events" columns={columns} rows={deliveries} keyOf={({ id }: WebhookDelivery) => id} />
    </div>
  );
}

function answerOf(delivery: WebhookDelivery) {
  const { last_status: status, last_error: error, next_attempt_at: next, attempts } = delivery;
  return (
    <>
      {attempts === 0 ? 'Not sent yet' : `Answer ${status ?? error ?? 'none'} to ${plural(attempts, 'attempt')}`}
      {next !== null && <>, next {new Date(next).getTime() > Date.now() ? <TimeAgo at={next} /> : 'any moment'}</>}
    </>
  );
}

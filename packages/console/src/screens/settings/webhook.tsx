/** One webhook: the latest events, the answers of its receiver, and "send again". */
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.tsx';
import { app, appAddress } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { SettingsTabs } from './tabs.tsx';
import type { Webhook, WebhookDelivery } from '../../replies.ts';

const tones: Readonly<Record<WebhookDelivery['state'], Tone>> = {
  waiting: 'busy',
  delivered: 'good',
  failed: 'bad',
};

export function OneWebhook({ params: { webhook_id: id } }: ScreenProps<'settings/webhooks/:webhook_id'>): Content {
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
  const { data, error, isLoading } = state.value;
  return (
    <div class="stack">
      <h1>Settings</h1>
      <SettingsTabs />
      <p>
        <a href={appAddress('settings/webhooks')}>All webhooks</a>
      </p>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && isLoading && <Loading what="Reading the webhook" />}
      {data !== undefined && (
        <>
          <div class="screen-head">
            <h2>
              <bdi class="settings-url">{data.webhook.url}</bdi>
            </h2>
            <div class="buttons">
              <Curl call={list} />
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
            </div>
          </div>
          <Deliveries path={path} deliveries={data.deliveries} reload={reload} />
        </>
      )}
    </div>
  );
}

function Deliveries(props: { path: string; deliveries: readonly WebhookDelivery[]; reload: () => void }): Content {
  const { path, deliveries, reload } = props;
  if (deliveries.length === 0) return <Empty title="No event in the last 7 days" />;
  const columns = [
    { title: 'Event', cell: ({ type }: WebhookDelivery) => type },
    {
      title: 'State',
      cell: (delivery: WebhookDelivery) => <Badge tone={tones[delivery.state]}>{delivery.state}</Badge>,
    },
    { title: 'When', cell: ({ created_at: at }: WebhookDelivery) => <TimeAgo at={at} /> },
    { title: 'Answer', cell: answerOf },
    { title: 'Attempts', align: 'end' as const, cell: ({ attempts }: WebhookDelivery) => attempts },
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

function answerOf({ last_status: status, last_error: error, next_attempt_at: next }: WebhookDelivery): Content {
  const answer = status !== null ? <code>{status}</code> : error !== null ? <code>{error}</code> : '–';
  return next === null ? (
    answer
  ) : (
    <>
      {answer}{' '}
      <span class="muted">
        next <TimeAgo at={next} />
      </span>
    </>
  );
}

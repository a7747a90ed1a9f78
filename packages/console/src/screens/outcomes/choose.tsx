import { useState } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import { setQuery } from '../../frame/router.ts';
import { app, appAddress } from '../../frame/session.ts';
import { TextField } from '../../kit/form.tsx';
import { zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { outcomeColumns } from '../notifications/outcome-columns.tsx';
import type { Notification, NotificationPage } from '../notifications/notification.tsx';

/** Asks for the notification: by its id, or one of the latest. */
export function Choose(): Content {
  const [id, setId] = useState('');
  const { state, reload } = useResource(
    async (signal) => call<NotificationPage>({ method: 'GET', path: '/v6/notifications?per=20' }, signal),
    [app.value?.id],
  );
  const { data, error, isLoading } = state.value;
  const columns = [
    {
      title: 'Notification',
      grows: true as const,
      cell: ({ id: own, notification: { payload } }: Notification) => {
        const title = payload?.title ?? payload?.alert;
        return <bdi>{typeof title === 'string' ? title : own}</bdi>;
      },
    },
    ...outcomeColumns,
    {
      title: `Created (${zoneName()})`,
      cell: ({ created_at: at }: Notification) => <Time at={at} bare />,
    },
  ];
  return (
    <>
      <p class="muted">Which devices were reached, which were not, and why: for one notification at a time.</p>
      <form
        class="toolbar outcomes-choose"
        onSubmit={(event) => {
          event.preventDefault();
          if (id.trim() !== '') setQuery({ notification: id.trim() }, 'push');
        }}>
        <TextField label="Id of a notification" code value={id} onInput={setId} />
        <button>Search</button>
      </form>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && isLoading && <Loading what="Reading the notifications" />}
      {data?.notifications.length === 0 && <Empty title="Nothing has been sent yet." />}
      {data !== undefined && data.notifications.length > 0 && (
        <div class="table-frame">
          <Table
            label="Latest notifications"
            columns={columns}
            rows={data.notifications}
            keyOf={(one: Notification) => one.id}
            hrefOf={(one: Notification) => appAddress('outcomes', { notification: one.id })}
          />
        </div>
      )}
    </>
  );
}

import { useState } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import { setQuery } from '../../frame/router.ts';
import { app, appAddress } from '../../frame/session.ts';
import { TextField } from '../../kit/form.ts';
import { zoneName } from '../../kit/format.ts';
import { html, type Content } from '../../kit/html.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.ts';
import { Table } from '../../kit/table.ts';
import { Time } from '../../kit/time.ts';
import { outcomeColumns } from '../notifications/outcome-columns.ts';
import type { Searched } from './searched.ts';

/** Asks for the notification: by its id, or one of the latest. */
export function Choose(): Content {
  const [id, setId] = useState('');
  const { state, reload } = useResource(
    async (signal) =>
      call<{ notifications: Searched[] }>({ method: 'GET', path: '/v6/notifications?per=20' }, signal),
    [app.value?.id],
  );
  const { data, error, isLoading } = state.value;
  const columns = [
    {
      title: 'Notification',
      grows: true as const,
      cell: ({ id: own, notification: { payload } }: Searched) => {
        const title = payload?.title ?? payload?.alert;
        return html`<bdi>${typeof title === 'string' ? title : own}</bdi>`;
      },
    },
    ...outcomeColumns,
    {
      title: `Created (${zoneName()})`,
      cell: ({ created_at: at }: Searched) => html`<${Time} at=${at} bare />`,
    },
  ];
  return html`<p class="muted">
      Which devices were reached, which were not, and why: for one notification at a time.
    </p>
    <form
      class="toolbar outcomes-choose"
      onSubmit=${(event: Event) => {
        event.preventDefault();
        if (id.trim() !== '') setQuery({ notification: id.trim() }, 'push');
      }}
    >
      <${TextField} label="Id of a notification" code value=${id} onInput=${setId} />
      <button>Search</button>
    </form>
    ${error !== undefined && html`<${Failure} error=${error} retry=${reload} />`}
    ${data === undefined && isLoading && html`<${Loading} what="Reading the notifications" />`}
    ${data?.notifications.length === 0 && html`<${Empty} title="Nothing has been sent yet." />`}
    ${
      data !== undefined &&
      data.notifications.length > 0 &&
      html`<div class="table-frame">
        <${Table}
          label="Latest notifications"
          columns=${columns}
          rows=${data.notifications}
          keyOf=${(one: Searched) => one.id}
          hrefOf=${(one: Searched) => appAddress('outcomes', { notification: one.id })}
        />
      </div>`
    }`;
}

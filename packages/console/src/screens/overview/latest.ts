import { appAddress } from '../../frame/session.ts';
import { zoneName } from '../../kit/format.ts';
import { html, type Content } from '../../kit/html.ts';
import { type Column, Table } from '../../kit/table.ts';
import { Time } from '../../kit/time.ts';
import { type Notification, StateBadge, titleOf } from '../notifications/notification.ts';
import { outcomeColumns } from '../notifications/outcome-columns.ts';

export function Latest({ notifications }: { notifications: readonly Notification[] }): Content {
  return html`<section class="overview-section" aria-labelledby="overview-latest">
    <div class="screen-head">
      <h2 id="overview-latest">Latest notifications</h2>
      <a href=${appAddress('notifications')}>All notifications</a>
    </div>
    <div class="table-frame">
      <${Table}
        label="Latest notifications"
        columns=${columns()}
        rows=${notifications}
        keyOf=${({ id }: Notification) => id}
        hrefOf=${({ id }: Notification) => appAddress(`notifications/${id}`)}
      />
    </div>
  </section>`;
}

function columns(): readonly Column<Notification>[] {
  return [
    { title: 'Text', grows: true, cell: titleOf },
    { title: 'State', cell: ({ state }) => html`<${StateBadge} state=${state} />` },
    ...outcomeColumns,
    { title: `Due (${zoneName()})`, cell: ({ due_at: at }) => html`<${Time} at=${at} bare />` },
  ];
}

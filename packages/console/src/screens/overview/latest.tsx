import { appAddress } from '../../frame/session.ts';
import { zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { type Notification, StateBadge, titleOf } from '../notifications/notification.tsx';
import { outcomeColumns } from '../notifications/outcome-columns.tsx';

export function Latest({ notifications }: { notifications: readonly Notification[] }): Content {
  return (
    <section class="overview-section" aria-labelledby="overview-latest">
      <div class="screen-head">
        <h2 id="overview-latest">Latest notifications</h2>
        <a href={appAddress('notifications')}>All notifications</a>
      </div>
      <div class="table-frame">
        <Table
          label="Latest notifications"
          columns={columns()}
          rows={notifications}
          keyOf={({ id }: Notification) => id}
          hrefOf={({ id }: Notification) => appAddress(`notifications/${id}`)}
        />
      </div>
    </section>
  );
}

function columns(): readonly Column<Notification>[] {
  return [
    { title: 'Text', grows: true, cell: titleOf },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    ...outcomeColumns,
    { title: `Due (${zoneName()})`, cell: ({ due_at: at }) => <Time at={at} bare /> },
  ];
}

import { Badge } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { BrowserSession } from '../../replies.ts';
import { browserName } from './browser-name.ts';

/** The session that asks is marked among the own ones, which are not in the API's document. */
export type OwnSession = BrowserSession & { is_current?: boolean };

/** @param props.endOf makes the last cell of a row, such as a button that ends the session */
export function SessionList(props: {
  sessions: readonly OwnSession[];
  endOf?: false | ((session: OwnSession) => Content);
}) {
  const { sessions, endOf } = props;
  const columns = [
    {
      title: 'Browser',
      cell: ({ user_agent: agent, is_current: isCurrent, created_at: at }: OwnSession) => (
        <TwoLines
          name={
            <span title={agent ?? ''}>
              {browserName(agent)} {isCurrent === true && <Badge tone="good">This one</Badge>}
            </span>
          }
          text={
            <>
              signed in <TimeAgo at={at} />
            </>
          }
        />
      ),
    },
    { title: 'Last used', cell: ({ last_used_at: at }: OwnSession) => <TimeAgo at={at} /> },
    { title: 'Ends', cell: ({ expires_at: at }: OwnSession) => <TimeAgo at={at} /> },
    ...(endOf === undefined || endOf === false ? [] : [{ title: 'Actions', align: 'end' as const, cell: endOf }]),
  ];
  return (
    <div class="table-frame">
      <Table label="Sessions" columns={columns} rows={sessions} keyOf={({ id }: OwnSession) => id} />
    </div>
  );
}

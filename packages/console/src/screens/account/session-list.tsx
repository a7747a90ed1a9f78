import { Badge } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { Table } from '../../kit/table.tsx';
import { TimeAgo, Time } from '../../kit/time.tsx';
import { browserName } from './browser-name.ts';

export interface BrowserSession {
  id: string;
  user_agent: string | null;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  is_current?: boolean;
}

/** @param props.endOf makes the last cell of a row, such as a button that ends the session */
export function SessionList(props: {
  sessions: readonly BrowserSession[];
  endOf?: false | ((session: BrowserSession) => Content);
}): Content {
  const { sessions, endOf } = props;
  const columns = [
    {
      title: 'Browser',
      cell: ({ user_agent: agent, is_current: isCurrent }: BrowserSession) => (
        <span title={agent ?? ''}>
          {browserName(agent)}
          {isCurrent === true && (
            <>
              {' '}
              <Badge tone="good">This one</Badge>
            </>
          )}
        </span>
      ),
    },
    { title: 'Last used', cell: ({ last_used_at: at }: BrowserSession) => <TimeAgo at={at} /> },
    { title: 'Signed in', cell: ({ created_at: at }: BrowserSession) => <TimeAgo at={at} /> },
    { title: 'Ends', cell: ({ expires_at: at }: BrowserSession) => <Time at={at} /> },
    ...(endOf === undefined || endOf === false
      ? []
      : [{ title: 'Actions', align: 'end' as const, cell: endOf }]),
  ];
  return (
    <div class="table-frame">
      <Table label="Sessions" columns={columns} rows={sessions} keyOf={({ id }: BrowserSession) => id} />
    </div>
  );
}

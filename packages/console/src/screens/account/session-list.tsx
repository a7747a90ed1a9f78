import { Badge } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import type { useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { BrowserSession } from '../../replies.ts';

/** The session that asks is marked among the own ones, which are not in the API's document. */
export type OwnSession = BrowserSession & { is_current?: boolean };

const columns: readonly Column<OwnSession>[] = [
  {
    title: 'Browser',
    cell: ({ user_agent: agent, is_current: isCurrent, created_at: at }) => (
      <TwoLines
        name={
          <span title={agent ?? ''}>
            {browserName(agent)} {isCurrent === true && <Badge tone="good">This one</Badge>}
          </span>
        }
        text={['signed in ', <TimeAgo at={at} />]}
      />
    ),
  },
  { title: 'Last used', cell: ({ last_used_at: at }) => <TimeAgo at={at} /> },
  { title: 'Ends', cell: ({ expires_at: at }) => <TimeAgo at={at} /> },
];

/** @param props.endOf makes the last cell of a row, such as a button that ends the session */
export function SessionList(props: {
  of: ReturnType<typeof useReply<{ sessions: readonly OwnSession[] }>>;
  endOf?: (session: OwnSession) => Content;
  children?: Content;
}) {
  const { of, endOf, children } = props;
  const isAlone = (of.data?.sessions.length ?? 0) < 2;
  const end = endOf === undefined || isAlone ? [] : [{ title: 'Actions', align: 'end', cell: endOf } as const];
  return (
    <List of={of} label="Sessions" columns={[...columns, ...end]} rows={of.data?.sessions}>
      {children}
    </List>
  );
}

/** Tried in this order, because Edge and Opera also name Chrome, and Chrome names Safari. */
const browsers = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+).*Safari/],
] as const;

const systems = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Chrome OS', /CrOS/],
  ['Linux', /Linux/],
] as const;

/** @returns `Firefox 145 on Linux`; the text itself if it names no known browser */
function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown';
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = systems.find(([, one]) => one.test(userAgent))?.[0];
    return system === undefined ? `${name} ${version}` : `${name} ${version} on ${system}`;
  }
  return userAgent.length > 60 ? `${userAgent.slice(0, 59)}…` : userAgent;
}

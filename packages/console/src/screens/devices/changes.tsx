/** Who has changed the device: its part of the audit log, which admins may read. */
import { call } from '../../frame/api.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { AuditEntry } from '../../replies.ts';
import { actionLabels } from '../audit/action-labels.ts';

const SHOWN = 10;

/** @param props.round rises with every change that this page has made */
export function Changes({ deviceId, round }: { deviceId: string; round: number }): Content {
  const path = `/v6/audit?object=${encodeURIComponent(deviceId)}&per=${SHOWN}`;
  const asked = { method: 'GET', path } as const;
  const { state, reload } = useResource<{ entries: readonly AuditEntry[] }>(
    async (signal) => call(asked, signal),
    [path, round],
  );
  const { data } = state.value;
  return (
    <section class="card" aria-labelledby="changes">
      <div class="screen-head">
        <h2 id="changes">Changes by people</h2>
        <Curl call={asked} />
      </div>
      <Waiting of={state.value} retry={reload} />
      {data?.entries.length === 0 && <p class="muted">None. What the app itself reports is not listed.</p>}
      {data !== undefined && data.entries.length > 0 && (
        <ul class="devices-lost">
          {data.entries.map((entry) => (
            <li key={entry.id}>
              {actionLabels[entry.action] ?? entry.action} by <bdi>{actorOf(entry)}</bdi>{' '}
              <span class="muted">
                <TimeAgo at={entry.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function actorOf({ by: { kind, id, name } }: AuditEntry): string {
  if (kind === 'command_line') return 'the command line';
  if (kind === 'server') return 'the server itself';
  return name ?? `${kind} ${id.slice(0, 8)}`;
}

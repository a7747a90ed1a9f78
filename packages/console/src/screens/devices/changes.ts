/** Who has changed the device: its part of the audit log, which admins may read. */
import { call } from '../../frame/api.ts';
import { CurlButton } from '../../kit/curl.ts';
import { html, type Content } from '../../kit/html.ts';
import { useResource } from '../../kit/resource.ts';
import { Failure, Loading } from '../../kit/states.ts';
import { Time } from '../../kit/time.ts';

interface Entry {
  id: string;
  at: string;
  by: { kind: 'key' | 'user' | 'command_line' | 'server'; id: string; name: string | null };
  action: string;
  after: Readonly<Record<string, unknown>> | null;
}

const SHOWN = 10;

/** @param props.round rises with every change that this page has made */
export function Changes({ deviceId, round }: { deviceId: string; round: number }): Content {
  const path = `/v6/audit?object=${encodeURIComponent(deviceId)}&per=${SHOWN}`;
  const asked = { method: 'GET', path } as const;
  const { state, reload } = useResource<{ entries: readonly Entry[] }>(
    async (signal) => call(asked, signal),
    [path, round],
  );
  const { data, error } = state.value;
  return html`<section class="card" aria-labelledby="changes">
    <div class="screen-head">
      <h2 id="changes">Changes by people</h2>
      <${CurlButton} call=${asked} />
    </div>
    ${error !== undefined && html`<${Failure} error=${error} retry=${reload} />`}
    ${data === undefined && error === undefined && html`<${Loading} />`}
    ${data?.entries.length === 0 && html`<p class="muted">None. What the app itself reports is not listed.</p>`}
    ${
      data !== undefined &&
      data.entries.length > 0 &&
      html`<ul class="devices-lost">
        ${data.entries.map(
          (entry) =>
            html`<li key=${entry.id}>
              <code>${entry.action}</code> by <bdi>${actorOf(entry)}</bdi> <${Time} at=${entry.at} />
            </li>`,
        )}
      </ul>`
    }
  </section>`;
}

function actorOf({ by: { kind, id, name } }: Entry): string {
  if (kind === 'command_line') return 'the command line';
  if (kind === 'server') return 'the server itself';
  return name ?? `${kind} ${id.slice(0, 8)}`;
}

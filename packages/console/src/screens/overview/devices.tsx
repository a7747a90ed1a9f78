/** Devices by platform, by system and by version of the app. */
import { appAddress } from '../../frame/session.ts';
import { formatNumber, formatShare } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { Empty } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { OverviewDevices } from '../../replies.ts';

/** Systems and versions that are listed; the rest is one line. */
const SHOWN = 8;
/** Versions that can be used in a filter as they are. */
const VERSION = /^\d{1,9}(?:\.\d{1,9}){0,7}$/;

interface Kind {
  label: string;
  devices: number;
  /** Filters that select these devices; left out if no filter can. */
  filters?: unknown;
}

export function DevicesSection({ devices }: { devices: OverviewDevices | null }): Content {
  if (devices === null) {
    return <p class="card muted">The devices are not counted yet: workers do it every 15 seconds.</p>;
  }
  const { total, reachable, active, counted_at: at } = devices;
  return (
    <section class="overview-section" aria-labelledby="overview-devices">
      <div class="screen-head">
        <h2 id="overview-devices">Devices</h2>
        <p class="muted">
          Counted <TimeAgo at={at} />
        </p>
      </div>
      {total === 0 ? (
        <Empty title="No device has registered yet" />
      ) : (
        <>
          <dl class="card figures">
            <div>
              <dt>Devices</dt>
              <dd>{formatNumber(total)}</dd>
            </div>
            <div>
              <dt>With a push token</dt>
              <dd>
                {formatNumber(reachable)} <span class="muted">{formatShare(reachable, total)}</span>
              </dd>
            </div>
            <div>
              <dt>Registered within 30 days</dt>
              <dd>
                {formatNumber(active)} <span class="muted">{formatShare(active, total)}</span>
              </dd>
            </div>
          </dl>
          <div class="overview-grid overview-thirds">
            <Kinds title="Platform" kinds={platformsOf(devices)} total={total} />
            <Kinds title="System" kinds={systemsOf(devices)} total={total} />
            <Kinds title="Version of the app" kinds={versionsOf(devices)} total={total} />
          </div>
        </>
      )}
    </section>
  );
}

function platformsOf({ by_platform: kinds }: OverviewDevices): Kind[] {
  return kinds.map(({ platform, devices }) => ({ label: platform, devices }));
}

function systemsOf({ by_system: kinds }: OverviewDevices): Kind[] {
  return kinds.map(({ platform, os_name: name, os_version: version, devices }) => {
    const label = `${name ?? platform} ${version ?? 'of unknown version'}`;
    if (name === null || version === null || !VERSION.test(version)) return { label, devices };
    const filters = [
      { name: 'os_name', criteria: [name] },
      { name: 'os_version', criteria: [version] },
    ];
    return { label, devices, filters };
  });
}

function versionsOf({ by_app_version: kinds }: OverviewDevices): Kind[] {
  return kinds.map(({ platform, app_version: version, devices }) => {
    const label = `${version ?? 'unknown'} on ${platform}`;
    return { label, devices };
  });
}

function Kinds(props: { title: string; kinds: readonly Kind[]; total: number }): Content {
  const { title, kinds, total } = props;
  const shown = kinds.slice(0, SHOWN);
  const rest = total - shown.reduce((sum, { devices }) => sum + devices, 0);
  const lines: Kind[] = rest > 0 ? [...shown, { label: 'All others', devices: rest }] : shown;
  return (
    <section class="card" aria-label={title}>
      <h3>{title}</h3>
      <ul class="overview-kinds">
        {lines.map(({ label, devices, filters }) => {
          const part = { inlineSize: `${(100 * devices) / total}%` };
          return (
            <li key={label}>
              <span class="overview-kind" dir="auto">
                {filters === undefined ? (
                  label
                ) : (
                  <a href={appAddress('audiences/new', { filters: JSON.stringify(filters) })}>{label}</a>
                )}
              </span>
              <span class="overview-number">
                {formatNumber(devices)} <span class="muted">{formatShare(devices, total)}</span>
              </span>
              <span class="overview-bar" aria-hidden="true">
                <span style={part} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Devices by platform, by system and by version of the app: each as one strip. */
import { appAddress } from '../../frame/session.ts';
import { formatNumber, formatShare, listed } from '../../kit/format.ts';
import { TimeAgo } from '../../kit/time.tsx';
import type { OverviewDevices } from '../../replies.ts';

/** Systems and versions of a strip; all others are one. */
const SHOWN = 8;
/** Versions that can be used in a filter as they are. */
const VERSION = /^\d{1,9}(?:\.\d{1,9}){0,7}$/;

interface Kind {
  platform: string;
  label: string;
  /** Null if it is not known. */
  version: string | null;
  devices: number;
  /** Filters that select these devices; left out if no filter can. */
  filters?: unknown;
}

export function DevicesSection({ devices }: { devices: OverviewDevices | null }) {
  if (devices === null) {
    return <p class="muted">The devices are being counted: workers do it every 15 seconds.</p>;
  }
  const { total, reachable, active, counted_at: at } = devices;
  const platforms = devices.by_platform.map((one) => `${formatNumber(one.devices)} ${one.platform}`);
  return (
    <section class="stack" aria-labelledby="overview-devices">
      <div class="screen-head">
        <h2 id="overview-devices">{total === 0 ? 'No device has registered yet' : 'Devices'}</h2>
        <p class="muted">
          Counted <TimeAgo at={at} />
        </p>
      </div>
      {total > 0 && (
        <>
          <p>
            <strong>{formatNumber(total)}</strong>: {listed(platforms)}. {formatNumber(reachable)} have a push token (
            {formatShare(reachable, total)}), and {formatNumber(active)} registered within 30 days (
            {formatShare(active, total)}).
          </p>
          <Strip title="System" kinds={systemsOf(devices)} total={total} />
          <Strip title="Version of the app" kinds={versionsOf(devices)} total={total} />
        </>
      )}
    </section>
  );
}

function systemsOf({ by_system: kinds }: OverviewDevices): Kind[] {
  return kinds.map(({ platform, os_name: name, os_version: version, devices }) => {
    const kind = { platform, label: `${name ?? platform} ${version ?? 'of unknown version'}`, version, devices };
    if (name === null || version === null || !VERSION.test(version)) return kind;
    const filters = [
      { name: 'os_name', criteria: [name] },
      { name: 'os_version', criteria: [version] },
    ];
    return { ...kind, filters };
  });
}

function versionsOf({ by_app_version: kinds }: OverviewDevices): Kind[] {
  return kinds.map(({ platform, app_version: version, devices }) => ({
    platform,
    label: `${version ?? 'Unknown'} on ${platform}`,
    version,
    devices,
  }));
}

function Strip({ title, kinds, total }: { title: string; kinds: readonly Kind[]; total: number }) {
  const shown = kinds.slice(0, SHOWN).toSorted(byVersion);
  const rest = total - shown.reduce((sum, { devices }) => sum + devices, 0);
  const others: Kind = { platform: '', label: 'All others', version: null, devices: rest };
  const parts = rest > 0 ? [...shown, others] : shown;
  return (
    <section class="stack close" aria-label={title}>
      <h3>{title}</h3>
      <div class="bar" aria-hidden="true">
        {parts.map(({ label, devices }, index) => (
          <span key={label} style={{ flexGrow: devices / total, ...shade(index) }} />
        ))}
      </div>
      <ul class="legend">
        {parts.map(({ label, devices, filters }, index) => (
          <li key={label} title={`${formatNumber(devices)} devices`}>
            <span class="swatch" aria-hidden="true" style={shade(index)} />
            {filters === undefined ? (
              <bdi>{label}</bdi>
            ) : (
              <a href={appAddress('audiences/new', { filters: JSON.stringify(filters) })}>
                <bdi>{label}</bdi>
              </a>
            )}
            <span class="muted">{formatShare(devices, total)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The colour of a part of a strip: fainter from one to the next. */
function shade(index: number) {
  return { background: 'var(--chart-1)', opacity: 0.8 ** index };
}

const collator = new Intl.Collator('en', { numeric: true });

/** A platform after the other, and the newest version first: '10.2' before '9.8'. Unknown ones are the last. */
function byVersion(one: Kind, other: Kind): number {
  if (one.platform !== other.platform) return one.platform < other.platform ? 1 : -1;
  return collator.compare(other.version ?? '', one.version ?? '');
}

/** The attributes of a device in sections, its tags, custom attributes, events and locations. */
import { formatNumber, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { valueText, versionOf } from './words.ts';
import type { Device } from '../../replies.ts';

type Fact = readonly [name: string, value: Content];

/** Texts come from the app and may be in any script; each is isolated, so that it does not turn its neighbours around. */
function text(value: string | number | null): Content {
  return value === null || value === '' ? <span class="muted">not set</span> : <bdi>{value}</bdi>;
}

/** If the device has none, the app's quiet hours apply. */
function quietWords({ quiet_hours: hours }: Device): Content {
  if (hours === null) return <span class="muted">those of the app</span>;
  const { from, to, days = [] } = hours;
  const on = days.map((day) => `${day.charAt(0).toUpperCase()}${day.slice(1, 3)}`);
  return `${from} to ${to}${on.length > 0 ? `, beginning on ${on.join(', ')}` : ''}`;
}

function Facts({ title, facts }: { title: string; facts: readonly Fact[] }): Content {
  return (
    <section class="devices-section">
      <h3>{title}</h3>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

export function Attributes({ device }: { device: Device }): Content {
  const allowed = { Enabled: 'yes', Disabled: 'no', Unknown: 'not known' }[device.notifications_allowed];
  return (
    <section class="card" aria-labelledby="attributes">
      <h2 id="attributes">Attributes</h2>
      <div class="devices-sections">
        <Facts
          title="User"
          facts={[
            ['User id', text(device.user_id)],
            ['E-mail', text(device.user_email)],
            ['Notifications allowed', allowed],
            ['Badge', text(device.badge)],
          ]}
        />
        <Facts
          title="Device and app"
          facts={[
            ['Model', text(device.marketing_name)],
            ['System', <bdi>{versionOf(device)}</bdi>],
            ['App version', text(device.app_version)],
            ['SDK version', text(device.sdk_version)],
          ]}
        />
        <Facts
          title="Region"
          facts={[
            ['Locale', text(device.locale)],
            ['Country', text(device.country)],
            ['Time zone', text(device.time_zone)],
            ['Quiet hours', quietWords(device)],
          ]}
        />
        <Facts
          title="Times"
          facts={[
            ['First registered', <Time at={device.created_at} />],
            ['Last update', <Time at={device.registered_at} />],
          ]}
        />
      </div>
      <h3>Tags</h3>
      {device.tags.length === 0 ? (
        <p class="muted">No tags.</p>
      ) : (
        <ul class="devices-tags">
          {device.tags.map((tag) => (
            <li key={tag}>
              <bdi>{tag}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Custom = readonly [name: string, attribute: Device['custom'][string]];

const customColumns: readonly Column<Custom>[] = [
  { title: 'Name', cell: ([name]) => <bdi>{name}</bdi> },
  { title: 'Type', cell: ([, { type }]) => <span class="muted">{type}</span> },
  { title: 'Value', cell: ([, attribute]) => <CustomValue {...attribute} /> },
];

function CustomValue({ type, value }: { type: string; value: unknown }): Content {
  const values = Array.isArray(value) ? value : [value];
  return (
    <span class="devices-values">
      {values.map((one: unknown) => (
        <bdi>
          {type === 'date' && typeof one === 'string' ? (
            <Time at={one} />
          ) : typeof one === 'boolean' ? (
            one ? (
              'true'
            ) : (
              'false'
            )
          ) : (
            valueText(one)
          )}
        </bdi>
      ))}
    </span>
  );
}

export function CustomAttributes({ custom }: Pick<Device, 'custom'>): Content {
  const rows = Object.entries(custom).sort(([left], [right]) => left.localeCompare(right));
  return (
    <section class="card" aria-labelledby="custom">
      <h2 id="custom">Custom attributes</h2>
      {rows.length === 0 ? (
        <p class="muted">The app has set none.</p>
      ) : (
        <Table label="Custom attributes" columns={customColumns} rows={rows} keyOf={([name]: Custom) => name} />
      )}
    </section>
  );
}

type EventRow = readonly [name: string, tally: Device['events'][string]];

const eventColumns: readonly Column<EventRow>[] = [
  { title: 'Event', cell: ([name]) => <bdi>{name}</bdi> },
  { title: 'Times', align: 'end', cell: ([, { count }]) => formatNumber(count) },
  { title: 'First', cell: ([, tally]) => <Time bare at={tally.first_happened_at} /> },
  { title: `Last (${zoneName()})`, cell: ([, tally]) => <Time bare at={tally.last_happened_at} /> },
];

export function Events({ events }: Pick<Device, 'events'>): Content {
  const rows = Object.entries(events).sort(([, left], [, right]) =>
    right.last_happened_at.localeCompare(left.last_happened_at),
  );
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">Events</h2>
      {rows.length === 0 ? (
        <p class="muted">No event of this device has been reported.</p>
      ) : (
        <Table label="Events" columns={eventColumns} rows={rows} keyOf={([name]: EventRow) => name} />
      )}
    </section>
  );
}

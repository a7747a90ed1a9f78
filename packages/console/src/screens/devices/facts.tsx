/** What is known of a device: its attributes and tags, the app's own attributes, and its events. What is not set is in one line. */
import { typeWords } from '../../filter-builder/language.ts';
import { formatNumber, listed } from '../../kit/format.ts';
import { Card } from '../../kit/card.tsx';
import type { Content } from '../../kit/content.ts';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { Time, TimeAgo } from '../../kit/time.tsx';
import { valueText } from './words.ts';
import type { Device, PushTokenState } from '../../replies.ts';

/** If the device has none, the app's quiet hours apply. */
function quietWords({ quiet_hours: hours }: Device): string {
  if (hours === null) return '';
  const { from, to, days = [] } = hours;
  const on = days.map((day) => `${day.charAt(0).toUpperCase()}${day.slice(1, 3)}`);
  return `${from} to ${to}${on.length > 0 ? `, beginning on ${on.join(', ')}` : ''}`;
}

const notifications = { Enabled: 'Allowed', Disabled: 'Turned off', Unknown: '' } as const;
const tokenKinds = {
  fid: 'Firebase installation id',
  fcm: 'Token of Firebase, on an iPhone',
  token: 'Registration token',
  subscription: 'Subscription of a browser',
} as const;

export function Facts({ device, token }: { device: Device; token: PushTokenState }) {
  const { push_token_type: kind, presented_at: presentedAt } = token;
  /** Texts come from the app and may be in any script; each is isolated, so that it does not turn its neighbours around. */
  const facts: readonly (readonly [name: string, value: string | number | null, shown?: Content])[] = [
    ['E-mail address', device.user_email],
    ['App version', device.app_version],
    ['Notifications', notifications[device.notifications_allowed]],
    ['SDK version', device.sdk_version],
    ['Locale', device.locale],
    ['Country', device.country],
    ['Time zone', device.time_zone],
    ['Own quiet hours', quietWords(device)],
    ['Badge', device.badge],
    ['Kind of push token', (device.platform !== 'iOS' || kind === 'fcm') && kind !== null ? tokenKinds[kind] : ''],
    ['Key for encrypted texts', device.encryption_key?.kid ?? null],
    ['First registered', device.created_at, <TimeAgo at={device.created_at} />],
    ['Last update', device.registered_at, <TimeAgo at={device.registered_at} />],
    ['Push token sent', presentedAt, presentedAt !== null && <TimeAgo at={presentedAt} />],
    ['Tags', device.tags.join(), <Tags tags={device.tags} />],
  ];
  // Of an iPhone through Apple, a push token has no kind, and few apps register a key.
  const missing = facts.flatMap(([name, value]) => (isSet(value) || name.startsWith('K') ? [] : [name]));
  const lines = [
    ...missing,
    ...(Object.keys(device.custom).length === 0 ? ['Custom attributes'] : []),
    ...(Object.keys(device.events).length === 0 ? ['Events'] : []),
    ...((device.location ?? device.sdk_location) === null ? ['Location'] : []),
  ].map((name, index) => (index === 0 ? name : name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())));
  return (
    <Card title="What is known of it">
      <dl class="facts devices-facts">
        {facts
          .filter(([, value]) => isSet(value))
          .map(([name, value, shown = <bdi>{value}</bdi>]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{shown}</dd>
            </div>
          ))}
      </dl>
      {lines.length > 0 && <p class="muted">Not set: {listed(lines)}.</p>}
    </Card>
  );
}

function isSet(value: string | number | null): boolean {
  return value !== null && value !== '';
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <ul class="in-line">
      {tags.map((tag) => (
        <li key={tag}>
          <bdi>{tag}</bdi>
        </li>
      ))}
    </ul>
  );
}

type Custom = readonly [name: string, attribute: Device['custom'][string]];

const customColumns: readonly Column<Custom>[] = [
  { title: 'Name', cell: ([name, { type }]) => <TwoLines name={name} text={typeWords(type)} /> },
  { title: 'Value', cell: ([, attribute]) => <CustomValue {...attribute} /> },
];

function CustomValue({ type, value }: { type: string; value: unknown }) {
  const values = Array.isArray(value) ? value : [value];
  return (
    <span class="in-line">
      {values.map((one: unknown) => (
        <bdi>{type === 'date' && typeof one === 'string' ? <Time at={one} /> : valueText(one)}</bdi>
      ))}
    </span>
  );
}

/** Nothing, if the app has set none. */
export function CustomAttributes({ custom }: Pick<Device, 'custom'>) {
  const rows = Object.entries(custom).sort(([left], [right]) => left.localeCompare(right));
  if (rows.length === 0) return null;
  return (
    <Card title="Custom attributes">
      <Table label="Custom attributes" columns={customColumns} rows={rows} keyOf={([name]: Custom) => name} />
    </Card>
  );
}

type EventRow = readonly [name: string, tally: Device['events'][string]];

const eventColumns: readonly Column<EventRow>[] = [
  {
    title: 'Event',
    cell: ([name, { first_happened_at: first }]) => (
      <TwoLines
        name={name}
        text={
          <>
            first <TimeAgo at={first} />
          </>
        }
      />
    ),
  },
  { title: 'Times', align: 'end', cell: ([, { count }]) => formatNumber(count) },
  { title: 'Last', cell: ([, tally]) => <TimeAgo at={tally.last_happened_at} /> },
];

/** Nothing, if none was reported. */
export function Events({ events }: Pick<Device, 'events'>) {
  const rows = Object.entries(events).sort(([, left], [, right]) =>
    right.last_happened_at.localeCompare(left.last_happened_at),
  );
  if (rows.length === 0) return null;
  return (
    <Card title="Events">
      <Table label="Events" columns={eventColumns} rows={rows} keyOf={([name]: EventRow) => name} />
    </Card>
  );
}

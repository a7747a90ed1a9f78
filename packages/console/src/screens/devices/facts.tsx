/**
 * What is known of a device: whether pushes reach it, its attributes and tags, the app's own attributes, its events, its other tokens, and
 * where it was. What is not set is in one line.
 */
import { typeWords } from '../../filter-builder/language.ts';
import { spotOf } from '../../filter-builder/map/mercator.ts';
import { Background } from '../../filter-builder/map/place-map.tsx';
import { onScreen, type View, within } from '../../filter-builder/map/view.ts';
import type { Tone } from '../../kit/badge.tsx';
import { Card, Facts as FactList } from '../../kit/card.tsx';
import type { Content } from '../../kit/content.ts';
import { formatNumber, listed } from '../../kit/format.ts';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { Time, TimeAgo } from '../../kit/time.tsx';
import { routeNames } from '../settings/credentials/routes.ts';
import { valueText } from './words.ts';
import type { Device, DeviceTokens, PushTokenState, StoredPlace } from '../../replies.ts';

const LOST_SHOWN = 5;
/** Coordinates are shown to about ten metres. */
const DIGITS = 4;
const WIDTH = 480;
const HEIGHT = 220;
/** The width of the map in degrees: a medium-sized country. */
const SHOWN_DEGREES = 14;

/** Whether pushes reach it, in words. */
export function Verdict({ device, token }: { device: Device; token: PushTokenState }) {
  const [tone, label, text] = verdictOf(device, token);
  return (
    <p class={`note ${tone}`}>
      <strong>{label}</strong> {text}
    </p>
  );
}

function verdictOf(
  { development, notifications_allowed: allowed }: Device,
  { state, route, retired: [lost] }: PushTokenState,
): [tone: Tone, label: string, text: Content] {
  const nothing = 'Nothing reaches it.';
  switch (state) {
    case 'live': {
      if (allowed !== 'Disabled') return ['good', 'Pushes reach it', `through ${routeNames[route]}.`];
      const text = 'Pushes arrive, but its user has turned notifications off, so the phone shows none.';
      return ['warn', 'Shows nothing.', text];
    }
    case 'set_aside': {
      const remedy = development
        ? 'If this is not a development build, remove the flag: the token then comes back.'
        : 'If this is a development build, flag the device as development: the token then comes back.';
      return ['warn', nothing, `Apple does not know its push token in this environment. ${remedy}`];
    }
    case 'retired': {
      const when = lost !== undefined && [' ', <TimeAgo at={lost.retired_at} />];
      const remedy = '. It gets a new one when the app is opened on it.';
      return ['bad', nothing, ['The gateway reported its push token dead', when, remedy]];
    }
    case 'none': {
      const text = 'It has no push token: another device has registered its token, or the app has removed it.';
      return ['bad', nothing, text];
    }
  }
}

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
  const facts: readonly (readonly [name: string, value: Content])[] = [
    ['E-mail address', device.user_email],
    ['App version', device.app_version],
    ['Notifications', notifications[device.notifications_allowed]],
    ['SDK version', device.sdk_version],
    ['Locale', device.locale],
    ['Country', device.country],
    ['Time zone', device.time_zone],
    ['Own quiet hours', quietWords(device)],
    ['Badge', device.badge],
    ['Kind of push token', (device.platform !== 'iOS' || kind === 'fcm') && kind !== null && tokenKinds[kind]],
    ['Key for encrypted texts', device.encryption_key?.kid ?? null],
    ['First registered', <TimeAgo at={device.created_at} />],
    ['Last update', <TimeAgo at={device.registered_at} />],
    ['Push token sent', presentedAt !== null && <TimeAgo at={presentedAt} />],
    ['Tags', device.tags.length > 0 && <Values of={device.tags} />],
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
      <div class="devices-facts">
        {/* Texts come from the app and may be in any script; each is isolated, so that it does not turn its neighbours around. */}
        <FactList facts={facts.map(([name, value]) => [name, isSet(value) && <bdi>{value}</bdi>])} />
      </div>
      {lines.length > 0 && <p class="muted">Not set: {listed(lines)}.</p>}
    </Card>
  );
}

function isSet(value: Content): boolean {
  return value !== null && value !== '' && value !== false;
}

type Custom = readonly [name: string, attribute: Device['custom'][string]];

const customColumns: readonly Column<Custom>[] = [
  { title: 'Name', cell: ([name, { type }]) => <TwoLines name={name} text={typeWords(type)} /> },
  { title: 'Value', cell: ([, { type, value }]) => <Values of={[value].flat()} type={type} /> },
];

function Values({ of, type }: { of: readonly unknown[]; type?: string }) {
  return (
    <span class="in-line">
      {of.map((one) => (
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
    cell: ([name, { first_happened_at: first }]) => <TwoLines name={name} text={['first ', <TimeAgo at={first} />]} />,
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

/** Those for other push types, and those that it has lost. */
export function OtherTokens({ lost, named }: { lost: PushTokenState['retired']; named: DeviceTokens['tokens'] }) {
  return (
    <>
      <Tokens
        title="Tokens for Live Activities and other push types"
        tokens={named.map(({ token_type: type, token_name: name, registered_at: at }) => [
          <bdi>{name}</bdi>,
          [`${type}, `, <TimeAgo at={at} />],
        ])}
      />
      <Tokens
        title="Lost push tokens"
        tokens={lost
          .slice(0, LOST_SHOWN)
          .map(({ reason, retired_at: at, kept }) => [reason, [<TimeAgo at={at} />, kept && ', kept for now']])}
        more={lost.length - LOST_SHOWN}
      />
    </>
  );
}

/** Nothing, if there are none. */
function Tokens(props: {
  title: string;
  tokens: readonly (readonly [name: Content, about: Content])[];
  more?: number;
}) {
  const { title, tokens, more = 0 } = props;
  if (tokens.length === 0) return null;
  return (
    <Card title={title}>
      <ul class="stack close">
        {tokens.map(([name, about], index) => (
          <li key={index}>
            {name} <span class="muted">{about}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="muted">and {more} earlier ones</p>}
    </Card>
  );
}

/** Coordinates, and a small map that uses no server but ours. Nothing, if no location is known. */
export function Location({ device }: { device: Device }) {
  const { location, sdk_location: precise } = device;
  const shown = precise ?? location;
  if (shown === null) return null;
  return (
    <Card title="Location">
      <MapAround at={shown} />
      <FactList
        facts={[
          ['From GPS', precise && written(precise)],
          ['Reported, or from the address', location && written(location)],
        ]}
      />
    </Card>
  );
}

function MapAround({ at }: { at: StoredPlace }) {
  const view: View = within({
    center: spotOf(at),
    scale: (WIDTH * 360) / SHOWN_DEGREES,
    width: WIDTH,
    height: HEIGHT,
  });
  const { x, y } = onScreen(view, at);
  return (
    <svg class="devices-map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Map around ${written(at)}`}>
      <Background view={view} />
      <circle cx={x.toFixed(1)} cy={y.toFixed(1)} r="6" />
    </svg>
  );
}

function written({ latitude, longitude }: StoredPlace): string {
  const north = `${Math.abs(latitude).toFixed(DIGITS)}° ${latitude < 0 ? 'S' : 'N'}`;
  const east = `${Math.abs(longitude).toFixed(DIGITS)}° ${longitude < 0 ? 'W' : 'E'}`;
  return `${north}, ${east}`;
}

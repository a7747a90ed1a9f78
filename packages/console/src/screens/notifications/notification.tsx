/** Replies of the API about notifications, and the words for their parts. */
import { appAddress } from '../../frame/session.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import type { Outcome } from '../../kit/outcome-bar.tsx';
import type { Wave } from '../../waves/calendar.tsx';

export const states = ['scheduled', 'sending', 'sent', 'canceled', 'failed', 'validated'] as const;
export type State = (typeof states)[number];

export interface Counters extends Record<Outcome, number> {
  state: State;
  reason: string | null;
  due_at: string;
  started_at: string | null;
  ended_at: string | null;
  devices: number;
}

export interface Notification extends Counters {
  id: string;
  created_at: string;
  to: { id: string; type: 'Audience' | 'Device' | 'User'; name: string | null };
  made_by: { type: 'key' | 'user'; id: string; name: string | null } | null;
  notification: {
    /** Left out by Live Activities and some push types. */
    payload?: Readonly<Record<string, unknown>>;
    live_activity?: { event: string; activity_id?: string; attributes_type?: string };
    apns?: { push_type?: string };
    deliver_at?: string;
    dry_run?: boolean;
    time_to_live?: number;
    priority?: string;
    max_recipients?: number;
    localized?: Readonly<Record<string, unknown>>;
    experiment?: string;
  };
  estimated_seconds_left: number | null;
  /** Only if its devices are due at different moments, and it has been planned. */
  waves?: readonly Wave[];
}

/** An event of the live stream. */
export interface Progress extends Counters {
  at: string;
  per_second: number | null;
  estimated_seconds_left: number | null;
  limit: { code: string; sentence: string; until: string | null } | null;
}

export function isOver({ state }: Pick<Counters, 'state'>): boolean {
  return state !== 'scheduled' && state !== 'sending';
}

const tones: Readonly<Record<State, Tone>> = {
  scheduled: 'neutral',
  sending: 'busy',
  sent: 'good',
  canceled: 'warn',
  failed: 'bad',
  validated: 'neutral',
};

export const stateLabels: Readonly<Record<State, string>> = {
  scheduled: 'scheduled',
  sending: 'sending',
  sent: 'sent',
  canceled: 'canceled',
  failed: 'failed',
  validated: 'dry run',
};

export function StateBadge({ state }: { state: State }): Content {
  return <Badge tone={tones[state]}>{stateLabels[state]}</Badge>;
}

/** The title of a notification, otherwise its text. */
export function titleOf({ notification }: Notification): string {
  const { payload = {} } = notification;
  return (
    textIn(payload, 'title') ?? textIn(payload, 'alert') ?? notificationKindOf(notification) ?? 'No text'
  );
}

/** Its kind, if it is not sent to push tokens for alerts; otherwise undefined. */
export function notificationKindOf({
  live_activity: activity,
  apns,
}: Pick<Notification['notification'], 'live_activity' | 'apns'>): string | undefined {
  if (activity !== undefined) {
    return `Live Activity: ${activity.event} of ${activity.activity_id ?? activity.attributes_type ?? 'one'}`;
  }
  const type = apns?.push_type;
  return type === undefined || type === 'alert' || type === 'background' ? undefined : `Push type ${type}`;
}

/** The text below the title. */
export function textOf({ notification: { payload = {} } }: Notification): string | undefined {
  return textIn(payload, 'title') === undefined ? undefined : textIn(payload, 'alert');
}

function textIn(payload: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = payload[key];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Names of audiences that a request made; they tell a reader nothing. */
const MADE_NAME = /^api_audience_[0-9a-f]{16}$/;

export function targetWords({ to: { id, name, type } }: Notification): string {
  if (type === 'Device') return `device ${shortId(id)}`;
  if (type === 'User') return `user ${id}`;
  return name === null || MADE_NAME.test(name) ? 'filters of its own' : name;
}

export function targetAddress({ to: { id, type } }: Notification): string {
  if (type === 'Audience') return appAddress(`audiences/${encodeURIComponent(id)}`);
  return type === 'Device'
    ? appAddress(`devices/${encodeURIComponent(id)}`)
    : appAddress('devices', { q: id });
}

/**
 * The address where a reader can ask why a device did not get it: the page of the device, or the look-up of devices.
 */
export function whyAddress({ id: why, to: { id, type } }: Notification): string {
  if (type === 'Device') return appAddress(`devices/${encodeURIComponent(id)}`, { why });
  return appAddress('devices', { q: type === 'User' ? id : undefined, why });
}

export function makerWords({ made_by: maker }: Notification): string {
  if (maker === null) return '–';
  return maker.name ?? (maker.type === 'key' ? `API key ${shortId(maker.id)}` : `user ${shortId(maker.id)}`);
}

function shortId(id: string): string {
  return id.slice(0, 8);
}

export function notificationPath(id: string): string {
  return `/v6/notifications/${encodeURIComponent(id)}`;
}

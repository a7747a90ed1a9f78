/** Replies of the API about notifications, and the words for their parts. */
import type { Query } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import type { OutcomeCounts } from '../../kit/outcome-bar.tsx';
import { userAddress } from '../devices/words.ts';
import type { Notification as Reply, NotificationList, NotificationProgress } from '../../replies.ts';

export type State = NotificationProgress['state'];

/** What a notification and the events of its stream have in common. */
export type Counters = Pick<Reply, keyof Reply & keyof NotificationProgress>;

/** The keys of the submitted body that the console shows; the API's document has it as the object that it is. */
export interface Notification extends Reply {
  notification: {
    /** Left out by Live Activities and some push types. */
    payload?: { title?: unknown; alert?: unknown; [key: string]: unknown };
    live_activity?: { event: string; activity_id?: string; attributes_type?: string };
    apns?: { push_type?: string };
    time_to_live?: number;
    max_recipients?: number;
    localized?: Record<string, unknown>;
    encrypted_texts?: Record<string, string>;
    experiment?: string;
    variants?: readonly { name: string }[];
    hold_out?: number;
  };
}

export interface NotificationPage extends NotificationList {
  notifications: readonly Notification[];
}

export function isOver({ state }: Pick<Counters, 'state'>): boolean {
  return state !== 'scheduled' && state !== 'sending';
}

/** For its bar. When it is canceled, devices no longer wait: nothing was sent to them. */
export function outcomesOf(counters: Counters): OutcomeCounts {
  return counters.state === 'canceled' ? { ...counters, pending: 0, not_sent: counters.pending } : counters;
}

export const stateTones: Readonly<Record<State, Tone>> = {
  scheduled: 'neutral',
  sending: 'busy',
  sent: 'good',
  canceled: 'warn',
  failed: 'bad',
  validated: 'neutral',
};

export const stateLabels: Readonly<Record<State, string>> = {
  scheduled: 'Scheduled',
  sending: 'Sending',
  sent: 'Sent',
  canceled: 'Canceled',
  failed: 'Failed',
  validated: 'Dry run',
};

export function StateBadge({ state }: { state: State }) {
  return <Badge tone={stateTones[state]}>{stateLabels[state]}</Badge>;
}

/** The title of a notification, otherwise its text. */
export function titleOf({ notification }: Notification): string {
  const { payload = {} } = notification;
  return textIn(payload, 'title') ?? textIn(payload, 'alert') ?? notificationKindOf(notification) ?? 'No text';
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
  if (type === 'Device') return `Device ${shortId(id)}`;
  if (type === 'User') return `User ${id}`;
  return audienceWords(name);
}

export function audienceWords(name: string | null): string {
  return name === null || MADE_NAME.test(name) ? 'Its own filters' : name;
}

export function targetAddress({ to: { id, type } }: Notification): string {
  if (type === 'Audience') return appAddress(`audiences/${encodeURIComponent(id)}`);
  if (type === 'Device') return appAddress(`devices/${encodeURIComponent(id)}`);
  return userAddress(id) ?? appAddress('devices');
}

/** Where a reader can ask why a device did not get it: the page of the device, or the look-up of devices. */
export function whyAddress({ id: why, to: { id, type } }: Notification): string {
  if (type === 'Device') return appAddress(`devices/${encodeURIComponent(id)}`, { why });
  return appAddress('devices', { q: type === 'User' ? id : undefined, why });
}

/** The tab that lists its devices by outcome. */
export function outcomesAddress(id: string, filters: Query = {}): string {
  return appAddress(`notifications/${encodeURIComponent(id)}`, { tab: 'outcomes', ...filters });
}

/** The name of a variant; 'Hold-out' for those that get nothing. */
export function groupLabel(name: string): string {
  return name === 'hold_out' ? 'Hold-out' : name;
}

export function makerWords({ made_by: maker }: Notification): string {
  if (maker === null) return 'Author not known';
  return maker.name ?? (maker.type === 'key' ? `API key ${shortId(maker.id)}` : `User ${shortId(maker.id)}`);
}

function shortId(id: string): string {
  return id.slice(0, 8);
}

export function notificationPath(id: string): string {
  return `/v6/notifications/${encodeURIComponent(id)}`;
}

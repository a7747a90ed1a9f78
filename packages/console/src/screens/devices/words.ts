/** Words for what the API says about devices. */
import { appAddress } from '../../frame/session.ts';
import type { Tone } from '../../kit/badge.tsx';
import { mayBeInAddress } from './query-kind.ts';
import type { Device, PushState, UserPush } from '../../replies.ts';

/** The model, or the platform. */
export function nameOf({
  marketing_name: model,
  platform,
}: Pick<Device, 'marketing_name' | 'platform'>): string {
  return model ?? (platform === 'Web' ? 'Browser' : `${platform} device`);
}

/** 'Android 16' */
export function versionOf(device: Pick<Device, 'platform' | 'os_name' | 'os_version'>): string {
  return [device.os_name ?? device.platform, device.os_version].filter(Boolean).join(' ');
}

interface PushWords {
  label: string;
  tone: Tone;
  /** What its moment is, while it has not been sent. */
  moment?: string;
}

/** The states of pushes to devices, and of those that name a user. */
export const pushStates: Readonly<Record<PushState | UserPush['state'], PushWords>> = {
  planned: { label: 'Planned', tone: 'busy', moment: 'due' },
  held: { label: 'Held', tone: 'warn', moment: 'until' },
  waiting: { label: 'Being sent', tone: 'busy' },
  sending: { label: 'Being sent', tone: 'busy' },
  sent: { label: 'Sent', tone: 'good' },
  nobody: { label: 'Nobody to send to', tone: 'warn' },
  canceled: { label: 'Canceled', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  dry_run: { label: 'Dry run', tone: 'neutral' },
  accepted: { label: 'Accepted', tone: 'good' },
  rejected: { label: 'Rejected', tone: 'bad' },
  unregistered: { label: 'Unregistered', tone: 'warn' },
  no_token: { label: 'No token', tone: 'neutral' },
  ambiguous: { label: 'Ambiguous', tone: 'warn' },
  dropped: { label: 'Dropped', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'warn' },
  capped: { label: 'Capped', tone: 'neutral' },
};

/** The page of a user; undefined if the id looks like an e-mail address, which may not be in an address. */
export function userAddress(userId: string): string | undefined {
  return mayBeInAddress(userId) ? appAddress(`devices/users/${encodeURIComponent(userId)}`) : undefined;
}

/** The text of a notification on one line; undefined if it has none. */
export function textOf({ title, alert }: { title?: unknown; alert?: unknown }): string | undefined {
  const parts = [title, alert].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(' – ');
}

/** A value of JSON as text; a list as its members. Whole numbers that JavaScript would round keep their digits. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

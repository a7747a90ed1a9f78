/** Words for what the API says about devices. */
import type { Tone } from '../../kit/badge.tsx';
import type { Device, DeviceOutcome, PushTokenState } from '../../replies.ts';

/** The model, or the platform. */
export function nameOf({
  marketing_name: model,
  platform,
}: Pick<Device, 'marketing_name' | 'platform'>): string {
  return model ?? (platform === 'iOS' ? 'iOS device' : 'Android device');
}

/** 'Android 16' */
export function versionOf(device: Pick<Device, 'platform' | 'os_name' | 'os_version'>): string {
  return [device.os_name ?? device.platform, device.os_version].filter(Boolean).join(' ');
}

export const routeLabels: Readonly<Record<PushTokenState['route'], string>> = {
  apns_production: 'Apple, production',
  apns_sandbox: 'Apple, sandbox',
  fcm: 'Google',
};

export const outcomeTones: Readonly<Record<DeviceOutcome['outcome'], Tone>> = {
  accepted: 'good',
  rejected: 'bad',
  unregistered: 'warn',
  no_token: 'neutral',
  ambiguous: 'warn',
  dropped: 'neutral',
  expired: 'warn',
  capped: 'neutral',
};

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

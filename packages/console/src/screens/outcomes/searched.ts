import type { Notification } from '../notifications/notification.tsx';

/** The groups of an A/B test; empty if the notification is none. */
export function groupsOf({
  notification: { variants, hold_out: holdOut },
}: Pick<Notification, 'notification'>): readonly string[] {
  if (variants === undefined) return [];
  const names = variants.map(({ name }) => name);
  return holdOut === undefined ? names : [...names, 'hold_out'];
}

/** 'A', 'hold-out' */
export function groupLabel(name: string): string {
  return name === 'hold_out' ? 'hold-out' : name;
}

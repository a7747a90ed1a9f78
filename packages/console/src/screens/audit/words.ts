/** The log in words: what was done, to what, and runs of the same. */
import type { AuditEntry } from '../../replies.ts';

/** A code without words is shown as it is. */
export const actionWords: Readonly<Record<string, string>> = {
  'notification.created': 'Created a notification',
  'notification.canceled': 'Canceled a notification',
  'audience.created': 'Created an audience',
  'audience.updated': 'Changed an audience',
  'audience.deleted': 'Deleted an audience',
  'device.registered': 'Registered a device',
  'device.updated': 'Changed a device',
  'device.flagged_development': 'Flagged a device as development',
  'device.unflagged_development': 'Removed the development flag of a device',
  'device.erased': 'Erased a device',
  'device.events_reported': 'Reported events of a device',
  'device.open_reported': 'Reported the open of a push',
  'devices.receipts_reported': 'Reported receipts of pushes',
  'devices.imported': 'Imported devices',
  'devices.tokens_restored': 'Gave push tokens back',
  'users.updated': 'Set attributes of a user',
  'users.events_reported': 'Reported events of a user',
  'key.created': 'Created an API key',
  'key.revoked': 'Revoked an API key',
  'credentials.set': 'Stored credentials',
  'credentials.removed': 'Removed credentials',
  'credentials.exported': 'Exported a private key',
  'route.resumed': 'Resumed a route',
  'secret_key.replaced': 'Replaced SECRET_KEY',
  'channel.created': 'Created a channel',
  'channel.deleted': 'Deleted a channel',
  'channel.deletion_refused': 'Was refused the deletion of a channel',
  'channel.broadcast': 'Sent a broadcast',
  'webhook.created': 'Created a webhook',
  'webhook.removed': 'Removed a webhook',
  'webhook.tested': 'Tested a webhook',
  'webhook.event_sent_again': 'Sent an event again',
  'console_user.added': 'Added a console user',
  'console_user.role_changed': 'Changed the role of a console user',
  'console_user.removed': 'Removed a console user',
  'console_user.link_made': 'Made a one-time link',
  'console_user.password_set': 'Chose a password',
  'console_user.signed_out': 'Signed out a console user',
  'console_user.second_factor_set': 'Turned on a second factor',
  'console_user.second_factor_removed': 'Removed a second factor',
  'console_user.recovery_code_used': 'Signed in with a recovery code',
  'app.created': 'Created the app',
  'app.android_set': 'Changed the Android settings',
  'app.quiet_hours_set': 'Changed the quiet hours',
  'app.frequency_caps_set': 'Changed the frequency caps',
  'app.identity_set': 'Changed the proof of users',
  'identity_key.stored': 'Stored a key of user tokens',
  'identity_key.removed': 'Removed a key of user tokens',
};

/** 'registered a device'; of a run: 'registered 12 devices', 'stored credentials 12 times' */
export function wordsOf(action: string, count: number): string {
  const words = (actionWords[action] ?? action).replace(/^[A-Z]/, (first) => first.toLowerCase());
  if (count === 1) return words;
  const many = words
    .replace(/\ban? ((?:API |console |second |one-time |recovery )?\w+)/, `${count} $1s`)
    .replace(/pushs$/, 'pushes');
  return many === words ? `${words} ${count} times` : many;
}

const screens: Readonly<Record<string, string>> = {
  notification: 'notifications/',
  audience: 'audiences/',
  device: 'devices/',
  webhook: 'settings/webhooks/',
};
const GONE = /\.(?:deleted|erased|removed)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** What the changed object is called, and the screen that shows it, if there is one. */
export function objectOf(entry: AuditEntry): { name: string; path: string | undefined } | undefined {
  const { action, object_id: id, object_name: present, before, after } = entry;
  if (id === null) return undefined;
  const then = [after, before]
    .flatMap((facts) => [facts?.['name'], facts?.['url']])
    .find((name) => typeof name === 'string');
  const screen = GONE.test(action) ? undefined : screens[action.split('.')[0] ?? ''];
  return {
    name: present ?? then ?? (UUID.test(id) ? id.slice(0, 8) : id),
    path: screen && UUID.test(id) ? `${screen}${id}` : undefined,
  };
}

/** Entries that follow each other with the same action by the same author. */
export function runsOf(entries: readonly AuditEntry[]): AuditEntry[][] {
  const runs: AuditEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run?.[0]?.action === entry.action && run[0].by.id === entry.by.id) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

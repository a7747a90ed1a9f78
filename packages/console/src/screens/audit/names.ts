/** Who and what the log can be filtered by, found by a part of the name. */
import { call } from '../../frame/api.ts';
import { addressOf } from '../../frame/router.ts';
import type { AudienceList, ConsoleUserList, FoundDevices, KeyList } from '../../replies.ts';
import { mayBeInAddress, queryKindOf } from '../devices/query-kind.ts';
import { nameOf } from '../devices/words.ts';
import { type NotificationPage, titleOf } from '../notifications/notification.tsx';
import type { Named } from './name-field.tsx';

const SHOWN_MAX = 8;
const AUDIENCES_MAX = 100;
/** An id, of anything: it needs no name. */
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

const others: readonly Named[] = [
  { id: 'command_line', name: 'Command line' },
  { id: 'server', name: 'The server' },
];

/** Users and keys of the app, and who else makes changes. */
export async function findAuthors(text: string, signal: AbortSignal): Promise<readonly Named[]> {
  const read = async <Reply>(path: string): Promise<Reply> => call<Reply>({ method: 'GET', path }, signal);
  const [{ users }, { keys }] = await Promise.all([
    read<ConsoleUserList>('/v6/console-users'),
    read<KeyList>('/v6/keys'),
  ]);
  const named = [
    ...users,
    ...keys.map(({ id, name }) => ({
      id,
      name: name === null ? `API key ${id.slice(0, 8)}` : `${name} (API key)`,
    })),
    ...others,
  ];
  const found = withText(named, text);
  return found.length === 0 && ID.test(text) ? [{ id: text, name: text }] : found;
}

/** Notifications by their texts, audiences by their names, devices by their user. Anything by its id. */
export async function findObjects(text: string, signal: AbortSignal): Promise<readonly Named[]> {
  if (text === '' || ID.test(text)) return text === '' ? [] : [{ id: text, name: text }];
  const [{ notifications }, { audiences }, { devices }] = await Promise.all([
    // An e-mail address or a push token stays out of the address of a request.
    queryKindOf(text) === 'other' && mayBeInAddress(text)
      ? call<NotificationPage>(
          { method: 'GET', path: addressOf('/v6/notifications', { per: SHOWN_MAX, text }) },
          signal,
        )
      : { notifications: [] },
    call<AudienceList>(
      { method: 'GET', path: addressOf('/v6/audiences', { kind: 'named', per: AUDIENCES_MAX }) },
      signal,
    ),
    call<FoundDevices>({ method: 'POST', path: '/v6/devices/lookup', body: { query: text } }, signal),
  ]);
  return [
    ...withText(
      audiences.map(({ id, name }) => ({ id, name: name ?? '' })),
      text,
    ),
    ...notifications.map((one) => ({ id: one.id, name: titleOf(one) })),
    ...devices.map(({ device }) => ({ id: device.id, name: `${device.user_id ?? ''} · ${nameOf(device)}` })),
  ].slice(0, 3 * SHOWN_MAX);
}

function withText(named: readonly Named[], text: string): readonly Named[] {
  const lower = text.toLowerCase();
  return named
    .filter(({ id, name }) => id === text || name.toLowerCase().includes(lower))
    .map(({ id, name }) => ({ id, name }));
}

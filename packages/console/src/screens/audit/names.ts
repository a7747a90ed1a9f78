/** Who and what the log can be filtered by, found by a part of the name. */
import { call } from '../../frame/api.ts';
import type { ConsoleUserList, KeyList } from '../../replies.ts';
import { sources } from '../find.ts';
import type { Named } from './name-field.tsx';

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

/** What has the text, or anything by its id. */
export async function findObjects(text: string, signal: AbortSignal): Promise<readonly Named[]> {
  if (text === '') return [];
  if (ID.test(text)) return [{ id: text, name: text }];
  const found = await Promise.all(sources.map(async ({ find }) => find(text, signal)));
  return found.flatMap(({ entries }) =>
    entries.map(({ id, icon, title, detail }) => ({
      id: id.slice(id.indexOf(' ') + 1),
      name: icon === 'device' ? `${title} · ${detail}` : title,
    })),
  );
}

function withText(named: readonly Named[], text: string): readonly Named[] {
  const lower = text.toLowerCase();
  return named
    .filter(({ id, name }) => id === text || name.toLowerCase().includes(lower))
    .map(({ id, name }) => ({ id, name }));
}

/** A field that takes the name of who or what the log is filtered by, and finds it by a part of the name. */
import { useId, useState } from 'preact/hooks';
import { Combobox } from '../../filter-builder/combobox.tsx';
import { useFound } from '../../filter-builder/suggestions.ts';
import { call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import type { ConsoleUserList, KeyList } from '../../replies.ts';
import { sources } from '../find.ts';

interface Named {
  id: string;
  name: string;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * A field that takes the name of a thing, or its id, and keeps the id. While somebody types, it offers what has the text in its name.
 * @param props.value the id; '' for none
 * @param props.find what has the text in its name or is the id; a text of '' is what is offered first
 */
export function NameField(props: {
  label: string;
  placeholder: string;
  value: string;
  find: (text: string, signal: AbortSignal) => Promise<readonly Named[]>;
  onPick: (id: string) => void;
}) {
  const { label, placeholder, value, find, onPick } = props;
  const id = useId();
  const [written, setWritten] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<Named | undefined>(undefined);
  const offered = useFound(find, written ?? value) ?? [];
  const take = (picked: Named | undefined): void => {
    setWritten(undefined);
    setChosen(picked);
    onPick(picked?.id ?? '');
  };
  const submit = async (): Promise<void> => {
    if (written === undefined) return;
    const typed = written.trim();
    const found = typed === '' ? [] : await find(typed, NEVER_ABORTED);
    const exact = found.find((one) => [one.id, one.name.toLowerCase()].includes(typed.toLowerCase()));
    const picked = exact ?? (found.length === 1 ? found[0] : undefined);
    if (typed === '' || picked !== undefined) take(picked);
    else {
      const why = found.length === 0 ? `Nothing is called ${typed}.` : 'Several have this in their name: choose one.';
      announce(why, { isBad: true });
    }
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Combobox
        id={id}
        value={written ?? [chosen, ...offered].find((one) => one?.id === value)?.name ?? value}
        placeholder={placeholder}
        options={offered.map((named) => ({ key: named.id, label: named.name, named }))}
        onText={setWritten}
        onChoose={({ named }) => take(named)}
        onKey={(event) => event.key === 'Enter' && submit()}
        onBlur={submit}
      />
    </div>
  );
}

/** An id, of anything: it needs no name. */
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

const others: readonly Named[] = [
  { id: 'command_line', name: 'Command line' },
  { id: 'server', name: 'The server' },
];

/** Users and keys of the app, and who else makes changes. */
export async function findAuthors(text: string, signal: AbortSignal): Promise<readonly Named[]> {
  const [{ users }, { keys }] = await Promise.all([
    call<ConsoleUserList>({ method: 'GET', path: '/v6/console-users' }, signal),
    call<KeyList>({ method: 'GET', path: '/v6/keys' }, signal),
  ]);
  const named = [
    ...users,
    ...keys.map(({ id, name }) => ({
      id,
      name: name === null ? `API key ${id.slice(0, 8)}` : `${name} (API key)`,
    })),
    ...others,
  ];
  const lower = text.toLowerCase();
  const found = named.filter(({ id, name }) => id === text || name.toLowerCase().includes(lower));
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

/** One field that leads everywhere: screens, actions, devices, users, notifications and audiences. */
import { useState } from 'preact/hooks';
import { Combobox } from '../filter-builder/combobox.tsx';
import { go } from '../frame/router.ts';
import type { Group } from '../frame/screen.tsx';
import { app } from '../frame/session.ts';
import { Modal } from '../kit/dialog.tsx';
import { Icon } from '../kit/icon.tsx';
import { useDebounced, useResource } from '../kit/states.tsx';
import { commandsFor } from './commands.ts';
import { type Section, sources } from '../screens/find.ts';

const TYPING_MS = 150;
/** The server looks up one letter as well, but it would find everybody. */
const SEARCHED_MIN = 2;

export function CommandPalette({ groups, onClose }: { groups: readonly Group[]; onClose: () => void }) {
  const [text, setText] = useState('');
  const { found, isSearching } = useFound(text.trim());
  const options = [...commandsFor(groups, text), ...found].flatMap(({ label: section, entries }) =>
    entries.map(({ id: key, title: label, ...entry }) => ({ ...entry, key, label, section })),
  );
  const notes = found.flatMap(({ label, note }) => (note === undefined ? [] : [`${label}: ${note}`]));
  if (isSearching) notes.push('Searching …');
  else if (options.length === 0) notes.push('Nothing is found.');
  return (
    <Modal
      class="raised palette"
      aria-label="Search and commands"
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}>
      <div>
        <Icon name="search" />
        <Combobox
          aria-label="Search and commands"
          placeholder={app.value === undefined ? 'Go to …' : 'User, e-mail, token, notification, audience, screen …'}
          value={text}
          options={options}
          alwaysOpen
          onText={setText}
          onChoose={({ target }) => {
            onClose();
            if (typeof target === 'string') go(target);
            else target();
          }}
        />
        <kbd>Esc</kbd>
        <p class="palette-state" role="status">
          {notes.join(' ')}
        </p>
      </div>
    </Modal>
  );
}

/** Asks all sources at once; what one has found is shown as soon as it has answered. */
function useFound(text: string): { found: readonly Section[]; isSearching: boolean } {
  const late = useDebounced(text, TYPING_MS);
  const isAsked = app.value !== undefined && late.length >= SEARCHED_MIN;
  const answers = sources.map(({ label, find }) => {
    const { state } = useResource(
      async (signal) => isAsked && { of: late, section: await find(late, signal) },
      [late, isAsked],
    );
    const { data, error } = state.value;
    if (!isAsked || late !== text) return undefined;
    if (error instanceof Error) return { label, entries: [], note: error.message };
    return data && data.of === text ? data.section : undefined;
  });
  const found = answers.filter((answer) => answer !== undefined);
  const isSearching = app.value !== undefined && text.length >= SEARCHED_MIN && found.length < sources.length;
  return { found, isSearching };
}

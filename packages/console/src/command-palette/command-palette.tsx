/** One field that leads everywhere: screens, actions, devices, users, notifications and audiences. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../frame/router.ts';
import type { Group } from '../frame/screen.tsx';
import { app } from '../frame/session.ts';
import { Icon } from '../kit/icon.tsx';
import { useDebounced } from '../kit/states.tsx';
import { commandsFor } from './commands.ts';
import { type Entry, type Section, type Source, sources } from '../screens/find.ts';

const TYPING_MS = 150;
/** The server looks up one letter as well, but it would find everybody. */
const SEARCHED_MIN = 2;

export function CommandPalette({ groups, onClose }: { groups: readonly Group[]; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [chosenId, choose] = useState<string | undefined>(undefined);
  const found = useFound(text.trim());
  const sections = [...commandsFor(groups, text), ...found.sections].filter(
    ({ entries, note }) => entries.length > 0 || note !== undefined,
  );
  const entries = sections.flatMap((section) => section.entries);
  const at = Math.max(
    0,
    entries.findIndex((entry) => entry.id === chosenId),
  );
  const chosen = entries[at];

  // Opens before the next key press is handled, so that what is typed at once goes to the field.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);

  const take = ({ target }: Entry): void => {
    onClose();
    if (typeof target === 'string') go(target);
    else target();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      choose(entries.at((at + step) % entries.length)?.id);
    } else if (event.key === 'Enter' && chosen !== undefined && !event.isComposing) {
      event.preventDefault();
      take(chosen);
    }
  };
  const optionId = (entry: Entry): string => `${id}-${entries.indexOf(entry)}`;

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search and commands"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search and commands"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen === undefined ? undefined : optionId(chosen)}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          placeholder={app.value === undefined ? 'Go to …' : 'User, e-mail, token, notification, audience, screen …'}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            choose(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <div id={`${id}-list`} class="palette-list" role="listbox" aria-label="Found" aria-busy={found.isSearching}>
        {sections.map((section) => (
          <div key={section.label} role="group" aria-label={section.label}>
            <p aria-hidden="true">{section.label}</p>
            {section.entries.map((entry) => (
              <div
                key={entry.id}
                id={optionId(entry)}
                class="palette-entry"
                role="option"
                aria-selected={entry === chosen}
                onPointerMove={() => choose(entry.id)}
                onClick={() => take(entry)}>
                <Icon name={entry.icon} />
                <bdi class="cut">{entry.title}</bdi>
                {entry.detail !== undefined && <bdi class="cut muted">{entry.detail}</bdi>}
              </div>
            ))}
            {section.note !== undefined && <p>{section.note}</p>}
          </div>
        ))}
      </div>
      <p class="palette-state" role="status">
        {found.isSearching ? 'Searching …' : entries.length === 0 ? 'Nothing is found.' : ''}
      </p>
    </dialog>
  );
}

/** Asks all sources at once; each is shown as soon as it has answered. */
function useFound(text: string): { sections: readonly Section[]; isSearching: boolean } {
  const late = useDebounced(text, TYPING_MS);
  const isAsked = app.value !== undefined && late.length >= SEARCHED_MIN;
  const [answers, setAnswers] = useState<{ text: string; sections: readonly Section[] }>({
    text: '',
    sections: [],
  });
  useEffect(() => {
    if (!isAsked) return undefined;
    const controller = new AbortController();
    setAnswers({ text: late, sections: [] });
    const ask = async ({ label, find }: Source): Promise<void> => {
      const section = await find(late, controller.signal).catch((error: unknown) => ({
        label,
        entries: [],
        note: error instanceof Error ? error.message : String(error),
      }));
      if (controller.signal.aborted) return;
      setAnswers(({ sections }) => ({ text: late, sections: inOrder([...sections, section]) }));
    };
    for (const source of sources) void ask(source);
    return () => controller.abort();
  }, [late, isAsked]);
  const isCurrent = answers.text === late && isAsked;
  const sections = isCurrent && late === text ? answers.sections : [];
  const isSearching = text.length >= SEARCHED_MIN && app.value !== undefined && sections.length < sources.length;
  return { sections, isSearching };
}

function inOrder(sections: readonly Section[]): Section[] {
  return sources.flatMap(({ label }) => sections.filter((section) => section.label === label));
}

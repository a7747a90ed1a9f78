/** What a screen has for developers: its calls as curl, JSON, ids. Each part hands over its own; the drawer shows them once it is open. */
import { createContext } from 'preact';
import { useContext, useId, useLayoutEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { Content } from '../content.ts';
import { Icon } from '../icon.tsx';

const OPEN = 'carillon.developer';
const KEY_OFF = 'carillon.developer.no-key';

/** By the id of the part that handed it over, in the order in which the parts appeared. */
const items = signal<ReadonlyMap<string, { title: string; content: Content }>>(new Map());
const isOpen = signal(localStorage.getItem(OPEN) !== null);
const isKeyOff = signal(localStorage.getItem(KEY_OFF) !== null);

/** True below a dialog, behind which nothing of the page can be reached. */
export const InDialog = createContext(false);

/** Opens or closes the drawer. */
export function toggleDeveloper(): void {
  keep(OPEN, (isOpen.value = !isOpen.value));
}

function keep(name: string, isSet: boolean): void {
  if (isSet) localStorage.setItem(name, 'yes');
  else localStorage.removeItem(name);
}

/** Hands its children over to the drawer, under a title of their own; in a dialog it is a part that can be unfolded. */
export function ForDevelopers({ title, children }: { title: string; children?: Content }) {
  const id = useId();
  const isInDialog = useContext(InDialog);
  useLayoutEffect(() => {
    items.value = new Map(items.peek()).set(id, { title, content: children });
  });
  useLayoutEffect(
    () => () => {
      const left = new Map(items.peek());
      left.delete(id);
      items.value = left;
    },
    [],
  );
  if (!isInDialog || !isOpen.value) return null;
  return (
    <details class="developer-part">
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** In the header. The key `d` does the same, outside of fields and dialogs. */
export function DeveloperButton() {
  // From the moment at which the page can be seen, not some time after it.
  useLayoutEffect(() => {
    const onKeyDown = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): void => {
      if (key !== 'd' || ctrlKey || metaKey || altKey || isKeyOff.peek()) return;
      if (target instanceof Element && target.closest('input, select, textarea, dialog') !== null) return;
      toggleDeveloper();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <button
      type="button"
      class="quiet developer-button"
      aria-expanded={isOpen.value}
      aria-controls="developer"
      title="The calls of this screen as curl, its JSON and ids (d)"
      onClick={toggleDeveloper}>
      <Icon name="terminal" />
      <span>Developer</span>
    </button>
  );
}

/** The titles are in the page also while it is closed, so that tests see that nothing is done without them. */
export function DeveloperDrawer() {
  return (
    <aside id="developer" class="developer" aria-label="Developer" hidden={!isOpen.value}>
      <header class="screen-head">
        <h2>Developer</h2>
        <button type="button" class="plain" aria-label="Close the drawer" onClick={toggleDeveloper}>
          <Icon name="cross" />
        </button>
      </header>
      <p class="muted">
        What this screen does, with an API key of this app: <code>export CARILLON_KEY=…</code>
      </p>
      {[...items.value].map(([id, { title, content }]) => (
        <section key={id} aria-label={title}>
          <h3>{title}</h3>
          {isOpen.value && content}
        </section>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={!isKeyOff.value}
          onChange={() => keep(KEY_OFF, (isKeyOff.value = !isKeyOff.value))}
        />
        The key <kbd>d</kbd> opens and closes this
      </label>
    </aside>
  );
}

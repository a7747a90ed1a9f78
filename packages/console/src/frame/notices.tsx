/** Short messages that appear at the edge of the screen, and that screen readers speak. */
import { signal } from '@preact/signals';

interface Notice {
  id: number;
  text: string;
  isBad: boolean;
}

const SHOWN_MS = 7_000;
const notices = signal<readonly Notice[]>([]);
let last = 0;

/** Says that something has been done: "The notification is cancelled." */
export function announce(text: string, how: { isBad?: boolean } = {}): void {
  const id = ++last;
  notices.value = [...notices.value, { id, text, isBad: how.isBad ?? false }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** The live region; it is always in the page, because screen readers watch only regions that they have seen. */
export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, isBad }) => (
        <div key={id} class={isBad ? 'raised notice notice-bad' : 'raised notice'}>
          <span>{text}</span>
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}

import { useLayoutEffect, useState } from 'preact/hooks';
import { announce } from '../frame/notices.tsx';
import type { Group } from '../frame/screen.tsx';
import { Icon } from '../kit/icon.tsx';
import type { CommandPalette } from './command-palette.tsx';

/** As keyboards name it. */
const SHORTCUT = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** Opens the command palette, whose program is loaded then; so do ⌘K and Ctrl+K anywhere. */
export function PaletteButton({ groups }: { groups: readonly Group[] }) {
  const [Palette, setPalette] = useState<typeof CommandPalette | undefined>(undefined);
  const close = (): void => setPalette(undefined);
  const open = async (): Promise<void> => {
    try {
      const loaded = await import('./command-palette.tsx');
      setPalette(() => loaded.CommandPalette); // a function would be taken for a change of the state
    } catch {
      announce('The search could not be loaded. There may be a new release.', { isBad: true });
    }
  };
  // From the moment at which the page can be seen, not some time after it.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (Palette !== undefined) close();
      else void open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [Palette]);
  return (
    <>
      <button
        type="button"
        class="palette-button"
        aria-haspopup="dialog"
        aria-label={`Search and commands, ${SHORTCUT}`}
        onClick={open}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>{SHORTCUT}</kbd>
      </button>
      {Palette !== undefined && <Palette groups={groups} onClose={close} />}
    </>
  );
}

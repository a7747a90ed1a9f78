import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { announce } from '../frame/notices.tsx';
import type { Group } from '../frame/screen.tsx';
import { Icon } from '../kit/icon.tsx';

/** As keyboards name it. */
const SHORTCUT = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

interface PaletteProps {
  groups: readonly Group[];
  onClose: () => void;
}

/** Opens the command palette, whose program is loaded then; so do ⌘K and Ctrl+K anywhere. */
export function PaletteButton({ groups }: Pick<PaletteProps, 'groups'>) {
  const [isOpen, setOpen] = useState(false);
  const [Palette, setPalette] = useState<FunctionComponent<PaletteProps> | undefined>(undefined);
  const open = async (): Promise<void> => {
    setOpen(true);
    try {
      const { CommandPalette } = await import('./command-palette.tsx');
      setPalette(() => CommandPalette); // a function would be taken for a change of the state
    } catch {
      setOpen(false);
      announce('The search could not be loaded. There may be a new release.', { isBad: true });
    }
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (isOpen) setOpen(false);
      else void open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
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
      {isOpen && Palette !== undefined && <Palette groups={groups} onClose={() => setOpen(false)} />}
    </>
  );
}

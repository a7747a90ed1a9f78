import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';

interface ButtonProps {
  onClick: () => void;
  /** Why it cannot be done now, or `undefined`. */
  why?: string | undefined;
}

export function AddButton(props: ButtonProps & { class?: 'quiet'; title?: string; children: Content }) {
  const { onClick, why, class: kind, title, children } = props;
  return (
    <button type="button" class={kind} disabled={why !== undefined} title={why ?? title} onClick={onClick}>
      <Icon name="plus" />
      {children}
    </button>
  );
}

export function RemoveButton({ what, why, onClick }: ButtonProps & { what: string }) {
  const label = `Remove ${what}`;
  return (
    <button type="button" class="plain" aria-label={label} disabled={why !== undefined} title={why} onClick={onClick}>
      <Icon name="cross" />
    </button>
  );
}

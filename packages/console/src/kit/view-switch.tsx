import type { Content } from './content.ts';

/** Buttons side by side, one of which is on: they show the same thing in another way, or another kind of it. */
export function ViewSwitch<View extends string>(props: {
  /** Tells screen readers what the buttons choose. */
  label: string;
  views: readonly { view: View; label: Content; disabled?: boolean }[];
  shown: View;
  onChoose: (view: View) => void;
}) {
  const { label: name, views, shown, onChoose } = props;
  return (
    <div role="group" aria-label={name} class="buttons view-switch">
      {views.map(({ view, label, disabled = false }) => (
        <button
          key={view}
          type="button"
          class="quiet"
          aria-pressed={view === shown}
          disabled={disabled}
          onClick={() => onChoose(view)}>
          {label}
        </button>
      ))}
    </div>
  );
}

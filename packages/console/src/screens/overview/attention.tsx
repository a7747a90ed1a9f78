import { appAddress } from '../../frame/session.ts';
import { troubles } from '../../frame/troubles.ts';
import type { Content } from '../../kit/content.ts';
import { Icon } from '../../kit/icon.tsx';
import type { Attention } from '../../replies.ts';

/** The screen that says more, for what is no trouble of the server's. All else is in the status bar. */
const screens: Partial<Record<Attention['code'], { path: string; label: string }>> = {
  pushes_rejected: { path: 'notifications', label: 'Open the notifications' },
  tokens_dead: { path: 'outcomes', label: 'Open the outcomes' },
};

export function AttentionList({ attention }: { attention: readonly Attention[] }): Content {
  const lines = attention.flatMap(({ code, message }) => {
    const screen = screens[code];
    return screen === undefined ? [] : [{ code, message, ...screen }];
  });
  if (lines.length === 0) {
    // Unless the bar says otherwise, or does not know yet.
    if (troubles.value?.length !== 0) return null;
    return (
      <p class="overview-calm">
        <Icon name="check" />
        Nothing needs attention.
      </p>
    );
  }
  return (
    <section class="card overview-attention" aria-labelledby="overview-attention">
      <h2 id="overview-attention">Needs attention</h2>
      <ul>
        {lines.map(({ code, message, path, label }) => (
          <li key={code}>
            <Icon name="warning" />
            <span dir="auto">{message}</span>
            <a href={appAddress(path)}>{label}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

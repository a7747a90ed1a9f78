import { useEffect, useRef } from 'preact/hooks';
import { appAddress, appPlace, may } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { Empty } from '../../kit/states.tsx';
import { parts } from './parts.ts';

/** In place of a part that the API refuses to others. @param what they may not do: 'see its API keys' */
export function AdminsOnly({ title, what }: { title: string; what: string }) {
  return (
    <SettingsPage title={title}>
      <Empty title={`Only admins of this app may ${what}`} />
    </SettingsPage>
  );
}

/** A part of the settings, next to the list of those that the role can use. `action` is what admins can add. */
export function SettingsPage(props: {
  title: Content;
  text?: Content;
  action?: { label: string; onClick: () => void };
  actions?: Content;
  children?: Content;
}) {
  const { title, text, action, actions, children } = props;
  const here = appPlace.value?.rest ?? '';
  const nav = useRef<HTMLElement>(null);
  // On a phone the list is a line that is wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <div class="settings">
      <nav class="links" aria-label="Settings" ref={nav}>
        {parts
          .filter(({ needs = 'viewer' }) => may(needs))
          .map(({ path, title: label }) => (
            <a key={path} href={appAddress(path)} aria-current={here.startsWith(path) ? 'page' : undefined}>
              {label}
            </a>
          ))}
      </nav>
      <div class="stack">
        <div class="screen-head">
          <h1>{title}</h1>
          <div class="buttons">
            {action !== undefined && (
              <button type="button" class="primary" disabled={!may('admin')} onClick={action.onClick}>
                {action.label}
              </button>
            )}
            {actions}
          </div>
        </div>
        {text !== undefined && <p class="muted">{text}</p>}
        {children}
      </div>
    </div>
  );
}

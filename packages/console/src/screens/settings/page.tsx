import { useEffect, useRef } from 'preact/hooks';
import { appAddress, appPlace, may, type Role } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';

const parts: readonly { path: string; label: string; needs?: Role }[] = [
  { path: 'settings/general', label: 'General' },
  { path: 'settings/credentials', label: 'Credentials' },
  { path: 'settings/keys', label: 'API keys', needs: 'admin' },
  { path: 'settings/webhooks', label: 'Webhooks', needs: 'admin' },
  { path: 'settings/quiet-hours', label: 'Quiet hours' },
  { path: 'settings/frequency-caps', label: 'Frequency caps' },
  { path: 'settings/users', label: 'Users', needs: 'admin' },
];

/**
 * A part of the settings, next to the list of those that the role can use.
 * @param props.text what the part is for
 * @param props.action what admins can add, the first of the buttons next to the heading
 */
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
          .map(({ path, label }) => (
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

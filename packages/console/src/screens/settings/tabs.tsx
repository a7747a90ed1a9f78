import { useEffect, useRef } from 'preact/hooks';
import { appAddress, appPlace, may, type Role } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';

const tabs: readonly { path: string; label: string; needs?: Role }[] = [
  { path: 'settings/credentials', label: 'Credentials' },
  { path: 'settings/keys', label: 'API keys', needs: 'admin' },
  { path: 'settings/webhooks', label: 'Webhooks', needs: 'admin' },
  { path: 'settings/quiet-hours', label: 'Quiet hours' },
  { path: 'settings/frequency-caps', label: 'Frequency caps' },
  { path: 'settings/users', label: 'Users', needs: 'admin' },
];

/** The tabs of the settings of an app, as far as the role can use them; each has an address of its own. */
export function SettingsTabs(): Content {
  const here = appPlace.value?.rest ?? '';
  const nav = useRef<HTMLElement>(null);
  // On a phone they are wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <nav class="settings-tabs" aria-label="Settings" ref={nav}>
      {tabs
        .filter(({ needs = 'viewer' }) => may(needs))
        .map(({ path, label }) => (
          <a key={path} href={appAddress(path)} aria-current={here.startsWith(path) ? 'page' : undefined}>
            {label}
          </a>
        ))}
    </nav>
  );
}

import { useEffect, useRef } from 'preact/hooks';
import { appAddress, appPlace } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';

const tabs = [
  { path: 'settings/credentials', label: 'Credentials' },
  { path: 'settings/keys', label: 'API keys' },
  { path: 'settings/webhooks', label: 'Webhooks' },
  { path: 'settings/quiet-hours', label: 'Quiet hours' },
  { path: 'settings/frequency-caps', label: 'Frequency caps' },
  { path: 'settings/users', label: 'Users' },
] as const;

/** The tabs of the settings of an app; each has an address of its own. */
export function SettingsTabs(): Content {
  const here = appPlace.value?.rest ?? '';
  const nav = useRef<HTMLElement>(null);
  // On a phone they are wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <nav class="settings-tabs" aria-label="Settings" ref={nav}>
      {tabs.map(({ path, label }) => (
        <a key={path} href={appAddress(path)} aria-current={here.startsWith(path) ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** The top of every page: which app, the health of the server, the reader's menu. */
import type { Content } from '../kit/content.ts';
import { DeveloperButton } from '../kit/developer/drawer.tsx';
import { Icon } from '../kit/icon.tsx';
import { Mark } from './mark.tsx';
import { Menu } from './menu.tsx';
import { call } from './api.ts';
import { DemoPill } from './demo.tsx';
import { announce } from './notices.tsx';
import { addressOf, go } from './router.ts';
import { app, appPlace, session } from './session.ts';
import { Ready } from './status-bar.tsx';
import { chooseTheme, theme, themes } from './theme.ts';

export function Header(props: { search: Content; isNavigationOpen: boolean; toggleNavigation: () => void }) {
  const { search, isNavigationOpen, toggleNavigation } = props;
  return (
    <header class="header">
      {app.value !== undefined && (
        <button
          type="button"
          class="plain navigation-button"
          aria-label="Navigation"
          aria-expanded={isNavigationOpen}
          aria-controls="navigation"
          onClick={toggleNavigation}>
          <Icon name="menu" />
        </button>
      )}
      <a class="brand" href=".">
        <Mark />
        Carillon
      </a>
      <AppSwitcher />
      <DemoPill />
      <span class="spacer" />
      {search}
      <span class="spacer" />
      <Ready />
      <DeveloperButton />
      <UserMenu />
    </header>
  );
}

/** Keeps the screen when the app changes; an id in the address belongs to one app, so only its first part stays. */
function AppSwitcher() {
  const apps = session.value?.apps ?? [];
  const here = app.value;
  if (here === undefined && apps.length === 0) return null;
  const [screen = ''] = (appPlace.value?.rest ?? '').split('/');
  return (
    <Menu name={`App: ${here?.name ?? 'none'}. Choose another`} label={here?.name ?? 'Choose an app'}>
      <ul class="links">
        {apps.map(({ bundle_id, name, role }) => (
          <li key={bundle_id}>
            <a
              href={addressOf(`apps/${encodeURIComponent(bundle_id)}/${screen}`)}
              aria-current={bundle_id === here?.bundle_id ? 'true' : undefined}>
              <span>{name}</span>
              <span class="muted">
                {bundle_id} · {role}
              </span>
            </a>
          </li>
        ))}
        {session.value?.why_no_new_app === null && (
          <li>
            <a href="start">Add an app</a>
          </li>
        )}
      </ul>
    </Menu>
  );
}

function UserMenu() {
  const user = session.value?.user;
  if (user === undefined) return null;
  const label = (
    <span class="user">
      <Icon name="user" />
      <span class="cut user-name">{user.name}</span>
    </span>
  );
  return (
    <Menu name={`User: ${user.name}`} label={label} end>
      <div class="menu-section" role="group" aria-label="Colours">
        {themes.map((one) => (
          <button type="button" class="quiet" aria-pressed={theme.value === one} onClick={() => chooseTheme(one)}>
            {one[0]?.toUpperCase()}
            {one.slice(1)}
          </button>
        ))}
      </div>
      <ul class="links">
        <li>
          <a href="account">My account</a>
        </li>
        <li>
          <button type="button" class="plain" onClick={signOut}>
            Sign out
          </button>
        </li>
      </ul>
    </Menu>
  );
}

async function signOut(): Promise<void> {
  try {
    await call({ method: 'DELETE', path: '/console/session' });
    sessionStorage.clear(); // drafts of this user
    session.value = null;
    go('sign-in');
  } catch (error) {
    announce(error instanceof Error ? error.message : 'Signing out failed.', { isBad: true });
  }
}

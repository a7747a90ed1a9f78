/** The top of every page, with which app it is of, the health of the server and the reader's menu; and the navigation. */
import { useEffect, useRef } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { DeveloperButton } from '../kit/developer/drawer.tsx';
import { Icon } from '../kit/icon.tsx';
import { call } from './api.ts';
import { Mark } from './mark.tsx';
import { announce } from './notices.tsx';
import { addressOf, go } from './router.ts';
import type { Group } from './screen.tsx';
import { app, appAddress, appPlace, may, session } from './session.ts';
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
      {session.value?.is_demo === true && <span class="badge">Demo</span>}
      {search}
      <Ready />
      <DeveloperButton />
      <UserMenu />
    </header>
  );
}

/** The screens of the app. On a phone it is hidden until the header's button opens it. */
export function Navigation(props: { groups: readonly Group[]; isOpen: boolean; close: () => void }) {
  const { groups, isOpen, close } = props;
  const entries = groups.flatMap(({ name, navigation, load }) =>
    navigation === undefined || !may(navigation.needs ?? 'viewer') ? [] : [{ path: name, load, ...navigation }],
  );
  const rest = appPlace.value?.rest ?? '';
  const [segment] = rest.split('/');
  return (
    <nav id="navigation" class={isOpen ? 'navigation open' : 'navigation'} aria-label="Screens">
      <ul class="links">
        {entries.map(({ path, load, label, icon }) => {
          const isHere = path === segment;
          return (
            <li key={path}>
              <a
                href={appAddress(path)}
                aria-current={isHere ? (rest === path ? 'page' : 'true') : undefined}
                onPointerEnter={load}
                onFocus={load}
                onClick={close}>
                <Icon name={icon} />
                {label}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
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

/** A button that opens a small panel below it: links or buttons. Escape, or a click anywhere, closes it. */
function Menu(props: { label: Content; name: string; end?: boolean; children?: Content }) {
  const { label, name, end = false, children } = props;
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const element = menu.current;
      if (element === null || !element.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        element.querySelector('summary')?.focus();
      } else if (event.target instanceof Element && element.contains(event.target)) {
        if (event.target.closest('a, button') === null) return;
      }
      element.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class={end ? 'menu menu-end' : 'menu'} ref={menu}>
      <summary class="button quiet" aria-label={name}>
        <span class="cut">{label}</span>
        <Icon name="down" />
      </summary>
      <div class="raised menu-panel">{children}</div>
    </details>
  );
}

/** What the palette offers without asking the server: screens, actions and apps. */
import { addressOf } from '../frame/router.ts';
import type { Group } from '../frame/screen.tsx';
import { app, appAddress, may, session } from '../frame/session.ts';
import { chooseTheme, themes } from '../frame/theme.ts';
import { toggleDeveloper } from '../kit/developer/drawer.tsx';
import type { Entry, Section } from '../screens/find.ts';
import { parts } from '../screens/settings/parts.ts';

/** @returns the screens, actions and apps whose words begin with all words of the text, in the order of the navigation */
export function commandsFor(groups: readonly Group[], text: string): Section[] {
  const wanted = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = ({ title, words }: { title: string; words: string }): boolean => {
    const own = `${title} ${words}`.toLowerCase().split(/\s+/);
    return wanted.every((word) => own.some((one) => one.startsWith(word)));
  };
  const sections = [
    { label: 'Go to', entries: screens(groups) },
    { label: 'Do', entries: [...actions(), ...colours()] },
    { label: 'Apps', entries: otherApps() },
  ];
  return sections.map(({ label, entries }) => ({
    label,
    // Before anything is typed, the list is short enough to read.
    entries: wanted.length === 0 ? entries.filter(({ isRare }) => isRare !== true) : entries.filter(matches),
  }));
}

interface Command extends Entry {
  /** What else a reader may type to find it. */
  words: string;
  isRare?: boolean;
}

function screens(groups: readonly Group[]): Command[] {
  if (app.value === undefined) return [];
  const inNavigation = groups.flatMap(({ name, navigation }) =>
    navigation === undefined ? [] : [{ ...navigation, path: name, title: navigation.label, words: '' }],
  );
  const further = parts.map((part) =>
    Object.assign({ icon: 'settings' as const, detail: 'Settings', isRare: true }, part),
  );
  return [...inNavigation, ...further]
    .filter(({ needs = 'viewer' }) => may(needs))
    .map(({ path, ...command }) =>
      Object.assign(command, { id: `screen ${path}`, target: appAddress(path) }),
    );
}

function actions(): Command[] {
  const own = [
    ['user', 'My account', 'account', 'password profile'],
    ['terminal', 'Open or close the developer drawer', toggleDeveloper, 'curl json id api'],
  ] as const;
  const toSend = [
    ['compose', 'Send a notification', appAddress('compose'), 'new compose push broadcast'],
    ['audience', 'Make an audience', appAddress('audiences/new'), 'new create segment filters'],
  ] as const;
  const all = may('sender') ? [...toSend, ...own] : own;
  return all.map(([icon, title, target, words]) => ({ id: title, icon, title, target, words }));
}

function colours(): Command[] {
  return themes.map((theme) => ({
    id: `colours ${theme}`,
    icon: 'settings',
    title: `Colours: ${theme}`,
    target: () => chooseTheme(theme),
    words: `${theme} theme mode`,
    isRare: true,
  }));
}

function otherApps(): Command[] {
  const others = (session.value?.apps ?? []).filter(({ id }) => id !== app.value?.id);
  return others.map(({ id, name, bundle_id: bundleId }) => ({
    id: `app ${id}`,
    icon: 'external',
    title: name,
    detail: bundleId,
    target: addressOf(`apps/${encodeURIComponent(bundleId)}`),
    words: `app ${bundleId}`,
    isRare: true,
  }));
}

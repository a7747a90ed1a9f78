/** What the palette offers without asking the server: screens, actions and apps. */
import { addressOf } from '../frame/router.ts';
import type { Group } from '../frame/screen.tsx';
import { app, appAddress, may, session } from '../frame/session.ts';
import { chooseTheme, themes } from '../frame/theme.ts';
import { toggleDeveloper } from '../kit/developer/drawer.tsx';
import type { IconName } from '../kit/icon.tsx';
import type { Entry, Section } from './entry.ts';

/** Pages of a screen that the navigation does not list. The words are what else a reader may type to find it. */
const pages: readonly { path: string; title: string; icon: IconName; words: string; needs?: 'admin' }[] = [
  { path: 'outcomes', title: 'Outcomes', icon: 'outcome', words: 'reasons export csv rejected' },
  {
    path: 'settings/credentials',
    title: 'Credentials',
    icon: 'settings',
    words: 'apple google apns fcm p8 service account',
  },
  { path: 'settings/keys', title: 'API keys', icon: 'settings', words: 'token secret', needs: 'admin' },
  { path: 'settings/webhooks', title: 'Webhooks', icon: 'settings', words: 'events', needs: 'admin' },
  { path: 'settings/quiet-hours', title: 'Quiet hours', icon: 'settings', words: 'night do not disturb' },
  { path: 'settings/frequency-caps', title: 'Frequency caps', icon: 'settings', words: 'limit per day' },
  {
    path: 'settings/users',
    title: 'Users',
    icon: 'settings',
    words: 'people invite roles colleagues',
    needs: 'admin',
  },
];

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
  words: string;
  isRare?: boolean;
}

function screens(groups: readonly Group[]): Command[] {
  if (app.value === undefined) return [];
  const ofNavigation = groups.flatMap(({ name, navigation }) =>
    navigation === undefined || !may(navigation.needs ?? 'viewer')
      ? []
      : [
          {
            id: `screen ${name}`,
            icon: navigation.icon,
            title: navigation.label,
            target: appAddress(name),
            words: '',
          },
        ],
  );
  const further = pages
    .filter(({ needs }) => needs === undefined || may(needs))
    .map(({ path, title, icon, words }) => ({
      id: `screen ${path}`,
      icon,
      title,
      detail: path.startsWith('settings/') ? 'Settings' : 'Of a notification',
      target: appAddress(path),
      words,
      isRare: true,
    }));
  return [...ofNavigation, ...further];
}

function actions(): Command[] {
  const developer: Command = {
    id: 'developer',
    icon: 'terminal',
    title: 'Open or close the developer drawer',
    target: toggleDeveloper,
    words: 'curl json id api',
  };
  const account: Command = {
    id: 'account',
    icon: 'user',
    title: 'My account',
    target: 'account',
    words: 'password profile',
    isRare: true,
  };
  if (app.value === undefined || !may('sender')) return [account, developer];
  return [
    {
      id: 'send',
      icon: 'compose',
      title: 'Send a notification',
      target: appAddress('compose'),
      words: 'new compose push broadcast',
    },
    {
      id: 'audience',
      icon: 'audience',
      title: 'Make an audience',
      target: appAddress('audiences/new'),
      words: 'new create segment filters',
    },
    account,
    developer,
  ];
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

/** The entry in the navigation; each tab has an address of its own. */
import { useEffect } from 'preact/hooks';
import { go } from '../../frame/router.ts';
import { defineScreen } from '../../frame/screen.ts';
import { appAddress } from '../../frame/session.ts';
import type { Content } from '../../kit/html.ts';

function Settings(): Content {
  useEffect(() => go(appAddress('settings/credentials'), 'replace'), []);
  return undefined;
}

export const settings = defineScreen({
  path: 'settings',
  title: 'Settings',
  navigation: { label: 'Settings', icon: 'settings', order: 80 },
  view: Settings,
});

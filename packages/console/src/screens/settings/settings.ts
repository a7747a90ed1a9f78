/** The entry in the navigation; each tab has an address of its own. */
import { useEffect } from 'preact/hooks';
import { go } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';

export function Settings(): Content {
  useEffect(() => go(appAddress('settings/credentials'), 'replace'), []);
  return undefined;
}

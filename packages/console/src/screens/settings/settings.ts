import { useEffect } from 'preact/hooks';
import { go } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';

/** The entry in the navigation; each part has an address of its own. */
export function Settings() {
  useEffect(() => go(appAddress('settings/general'), 'replace'), []);
  return undefined;
}

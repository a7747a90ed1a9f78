/** An address of every screen, with state in it where the screen has some. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../docs/markdown.ts';

export interface Ids {
  notification: string;
  device: string;
  user: string;
  audience: string;
  webhook: string;
}

const goldFilter = encodeURIComponent(
  JSON.stringify([
    { name: 'custom.string.plan', criteria: ['gold'] },
    { name: 'location', criteria: [{ point: { latitude: 48, longitude: 2 }, distance: 9, unit: 'km' }] },
  ]),
);

/** By the pattern of the screen: an address of it, below the app or below `/console/`. */
export function addresses(ids: Ids): Record<string, string> {
  return {
    overview: 'overview',
    start: 'start',
    notifications: 'notifications?state=sent',
    'notifications/calendar': 'notifications/calendar',
    'notifications/:notification_id': `notifications/${ids.notification}`,
    compose: `compose?copy=${ids.notification}`,
    audiences: 'audiences',
    'audiences/new': `audiences/new?filters=${goldFilter}`,
    'audiences/:audience_id': `audiences/${ids.audience}?device=${ids.device}`,
    devices: 'devices?q=user',
    'devices/:device_id': `devices/${ids.device}?why=${ids.notification}`,
    'devices/users/:user_id': `devices/users/${encodeURIComponent(ids.user)}`,
    outcomes: `outcomes?notification=${ids.notification}`,
    audit: 'audit',
    settings: 'settings',
    'settings/general': 'settings/general',
    'settings/credentials': 'settings/credentials',
    'settings/keys': 'settings/keys',
    'settings/quiet-hours': 'settings/quiet-hours',
    'settings/frequency-caps': 'settings/frequency-caps',
    'settings/user-tokens': 'settings/user-tokens',
    'settings/webhooks': 'settings/webhooks',
    'settings/webhooks/:webhook_id': `settings/webhooks/${ids.webhook}`,
    'settings/users': 'settings/users',
  };
}

/** Screens without an app. */
export const outside: Readonly<Record<string, string>> = {
  'sign-in': 'sign-in',
  invite: 'invite',
  account: 'account',
};

/** The patterns that the sources define. */
export function definedPatterns(): string[] {
  const folder = path.join(ROOT, 'packages/console/src/screens');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('/screens.ts'),
  );
  return sources.flatMap((name) => {
    const source = readFileSync(path.join(folder, name), 'utf8');
    return [...source.matchAll(/defineScreen\(\{\s*path: '([^']*)'/g)].map(([, pattern = '']) => pattern);
  });
}

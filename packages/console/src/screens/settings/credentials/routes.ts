import type { Tone } from '../../../kit/badge.tsx';
import type { CredentialsRoute } from '../../../replies.ts';

export const routeNames: Readonly<Record<CredentialsRoute['route'], string>> = {
  apns_production: 'Apple, production',
  apns_sandbox: 'Apple, development',
  fcm: 'Google',
  web_push: 'Web Push, to browsers',
};

/** Whether pushes can be sent on a route, in a word. */
export function routeState(
  hasCredentials: boolean,
  isPaused: boolean,
  isProven: boolean,
): { label: string; tone: Tone } {
  if (!hasCredentials) return { label: 'No credentials', tone: 'neutral' };
  if (isPaused) return { label: 'Paused', tone: 'bad' };
  return isProven ? { label: 'Works', tone: 'good' } : { label: 'Not proven yet', tone: 'warn' };
}

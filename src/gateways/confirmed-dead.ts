import type { OwnReason } from './reason.ts';

/**
 * Apple's reasons of status 410, and ours of a push service's: the token was once valid for this topic and environment. So they do not
 * point to a wrong set-up.
 */
export const CONFIRMED_DEAD: ReadonlySet<string> = new Set([
  'Unregistered',
  'ExpiredToken',
  'subscription_gone' satisfies OwnReason,
]);

/** The settings of the console, `CONSOLE_*`. */
import { z } from 'zod';
import { ROLES } from '../console/accounts/roles.ts';
import { isLoopback } from '../console/accounts/session-cookie.ts';

const rolesByApp = z.record(z.string(), z.enum(ROLES));
const ROLES_RULE =
  'must be JSON of groups, apps and roles, such as {"push-team": {"com.example.app": "sender"}, "on-call": {"*": "viewer"}}; ' +
  `a role is ${ROLES.join(', ')}`;

export const consoleFields = {
  CONSOLE_URL: z
    .string()
    .refine(isConsoleUrl, 'must have the form https://push.example.com/console; http:// only with localhost')
    .transform(withoutSlash)
    .optional(),
  CONSOLE_SECOND_FACTOR: z.enum(['optional', 'required'], 'must be optional or required'),
  CONSOLE_ADD_APPS: z.enum(['admins', 'nobody'], 'must be admins or nobody'),
  CONSOLE_OIDC_ISSUER: z
    .string()
    .refine(isConsoleUrl, 'must have the form https://accounts.example.com; http:// only with localhost')
    .optional(),
  CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  CONSOLE_OIDC_CLIENT_SECRET: z.string().min(12, 'must be 12 characters or more').optional(),
  CONSOLE_OIDC_SCOPE: z
    .string()
    .refine(
      (text) => text.split(' ').includes('openid'),
      'must be words separated by spaces, openid among them',
    ),
  CONSOLE_OIDC_GROUPS_CLAIM: z.string(),
  CONSOLE_OIDC_ROLES: z.string().transform(readRoles).optional(),
};

const consoleSettings = z.object(consoleFields);

/** @returns undefined if users sign in with passwords alone */
export function oidcOf(read: z.output<typeof consoleSettings>) {
  const { CONSOLE_URL: consoleUrl, CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId } = read;
  const { CONSOLE_OIDC_CLIENT_SECRET: clientSecret, CONSOLE_OIDC_ROLES: roles } = read;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  if (roles === undefined || consoleUrl === undefined) return undefined; // `missingOidcSettings` has reported it
  return {
    issuer,
    clientId,
    clientSecret,
    scope: read.CONSOLE_OIDC_SCOPE,
    groupsClaim: read.CONSOLE_OIDC_GROUPS_CLAIM,
    /** By group: the role in each app, by bundle id, or in all apps (`*`). */
    roles,
    consoleUrl,
  };
}

/** Reports settings that other settings require. */
export function missingOidcSettings(isGiven: (name: string) => boolean): string[] {
  const required = [
    'CONSOLE_OIDC_CLIENT_ID',
    'CONSOLE_OIDC_CLIENT_SECRET',
    'CONSOLE_OIDC_ROLES',
    'CONSOLE_URL',
  ];
  if (!isGiven('CONSOLE_OIDC_ISSUER')) return [];
  return required
    .filter((name) => !isGiven(name))
    .map((name) => `${name} is required if CONSOLE_OIDC_ISSUER is set`);
}

/** Without TLS the console signs nobody in, except on the same machine. */
function isConsoleUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.host));
}

function withoutSlash(text: string): string {
  return text.replace(/\/$/, '');
}

function readRoles(text: string, context: z.RefinementCtx): z.output<typeof rolesByGroup> {
  const parsed = rolesByGroup.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  context.addIssue(ROLES_RULE);
  return z.NEVER;
}

const rolesByGroup = z.record(z.string(), rolesByApp);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

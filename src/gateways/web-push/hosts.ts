/**
 * Which hosts may be called. An endpoint is an address that anybody with a key of the app can set, so only the push services of
 * the browsers are allowed, and those that the operator names (`WEB_PUSH_HOSTS`).
 */
import { isIP } from 'node:net';
import { withoutBrackets } from '../../proxy/proxy-settings.ts';

/** Google (with Chromium builds that lack its keys), Mozilla, Apple, Microsoft; a name begins with a dot if it stands for all below. */
const SERVICES = [
  'fcm.googleapis.com',
  'jmt17.google.com',
  '.push.services.mozilla.com',
  '.push.apple.com',
  '.notify.windows.com',
];

export interface WebPushHosts {
  /** In lower case: `push.example.com`, `push.example.com:8443`, `.example.com` for all names below it. */
  names: readonly string[];
  /** Whether any host may be called that has a public address (`*`). */
  any: boolean;
}

export const NO_OTHER_HOSTS: WebPushHosts = { names: [], any: false };

const ENTRY = /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** @param text names separated by commas. @returns undefined if one of them is no name */
export function parseWebPushHosts(text: string): WebPushHosts | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  const names = entries.filter((entry) => entry !== '*');
  if (!names.every((name) => ENTRY.test(name))) return undefined;
  return { names: names.map((name) => name.replace(/^\*/, '')), any: names.length < entries.length };
}

/**
 * - `named`: a push service of a browser, or a host that the operator has named: it may have any address.
 * - `public`: a host that only `*`, or a name for all below it, allows: it must have a public address.
 */
export type Allowance = 'named' | 'public';

/** @param origin with its port. @returns undefined if it may not be called */
export function allowanceOf(origin: string, hosts: WebPushHosts): Allowance | undefined {
  const { hostname, host, port } = new URL(origin);
  if (port === '' && SERVICES.some((name) => covers(name, hostname))) return 'named';
  const named = port === '' ? hostname : host;
  if (hosts.names.includes(named)) return 'named';
  if (!hosts.any && !hosts.names.some((name) => covers(name, named))) return undefined;
  return isIP(withoutBrackets(hostname)) === 0 ? 'public' : undefined;
}

/** The rule for people, as the end of a sentence that begins with the name of an endpoint. */
export function hostFault(endpoint: string, hosts: WebPushHosts): string | undefined {
  const { origin, host } = new URL(endpoint);
  return allowanceOf(origin, hosts) === undefined
    ? `is on ${host}, which is no push service of a browser: the operator can allow other hosts by WEB_PUSH_HOSTS`
    : undefined;
}

function covers(name: string, host: string): boolean {
  return name.startsWith('.') ? host.endsWith(name) : host === name;
}

/** Validates the URL of a webhook. The addresses that its name resolves to are checked when a connection is opened. */
import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.ts';

/** @returns the fault, or undefined. Only `https` and no private address, unless those are allowed */
export function endpointFault(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text);
  const protocols = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (url === null || !protocols.includes(url.protocol)) {
    return `must be an address that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`;
  }
  if (url.username !== '' || url.password !== '') return 'may not hold a user name or password';
  if (url.hash !== '') return 'may not hold a fragment';
  if (!allowPrivate && isPrivateHost(url)) return 'may not lead to a private address';
  return undefined;
}

/** Names that always mean this machine (RFC 6761, section 6.3). */
const LOCALHOST = /(^|\.)localhost\.?$/;

/** Whether the host is `localhost` or a private address. `URL` has normalised its spelling. */
function isPrivateHost({ hostname }: URL): boolean {
  if (LOCALHOST.test(hostname)) return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && !isPublicAddress(address);
}

/** Validates the URL of a webhook. `addresses.ts` checks the addresses that its name resolves to. */
import { isIP } from 'node:net';
import { isPublicAddress } from '../proxy/public-addresses.ts';

/** @returns the fault, or undefined. Without `allowPrivate`, plain HTTP and private addresses are faults */
export function endpointFault(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text);
  const protocols = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (url === null || !protocols.includes(url.protocol)) {
    return `must be an address that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`;
  }
  if (url.username !== '' || url.password !== '') return 'may not contain a user name or password';
  if (url.hash !== '') return 'may not contain a fragment';
  if (!allowPrivate && isPrivateHost(url)) return 'may not be a private address';
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

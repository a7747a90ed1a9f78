/**
 * Reads `X-Forwarded-For` as proxies write it. Some write a port after each address (Azure Application Gateway, IIS with ARR):
 * with it every connection would count as an address of its own, and no address would be trusted or located.
 */
import { isIP, isIPv4 } from 'node:net';

const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;
const PORT = /:\d{1,5}$/;

/**
 * @returns the addresses of the header without ports, brackets and zones, in their order, as `2001:db8::1, 192.0.2.1`.
 *   Each proxy appends the address that it saw, so the list is read from its end, up to an element that is not an
 *   address (`unknown`): nothing before it can be trusted. Empty if the last proxy names no address
 */
export function readForwardedFor(header: string): string {
  if (isIPv4(header)) return header; // what nearly all proxies send
  const addresses: string[] = [];
  for (const element of header.split(',').toReversed()) {
    if (element.trim() === '') continue;
    const address = addressIn(element.trim());
    if (address === undefined) break;
    addresses.unshift(address);
  }
  return addresses.join(', ');
}

function addressIn(element: string): string | undefined {
  const text = element.replace(/^"(.*)"$/, '$1').trim();
  const [, inBrackets = text] = BRACKETED.exec(text) ?? [];
  return withoutZone(inBrackets) ?? withoutZone(inBrackets.replace(PORT, ''));
}

/** A zone (`fe80::1%eth0`) names an interface of the proxy. */
function withoutZone(text: string): string | undefined {
  return isIP(text) === 0 ? undefined : text.replace(/%.*$/, '');
}

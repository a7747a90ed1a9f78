import { isIPv6 } from 'node:net';

/**
 * @returns the name under which an address is counted: an IPv4 address itself, and of an IPv6 address its /64, because one
 *   customer has at least that many
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address.toLowerCase();
  const groups = groupsOf(address.toLowerCase());
  const [high = 0, low = 0] = groups.slice(6);
  // An IPv4 address, as a server that listens on IPv6 sees it: ::ffff:192.0.2.1.
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** @returns the eight numbers of a valid IPv6 address */
function groupsOf(address: string): number[] {
  const [withoutZone = ''] = address.split('%');
  const [before = '', after] = withoutZone.split('::');
  const first = numbersOf(before);
  if (after === undefined) return first;
  const last = numbersOf(after);
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

function numbersOf(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

import { isIPv6 } from 'node:net';

/**
 * @returns the name under which an address is counted: an IPv4 address itself, and an IPv6 address by its /64, because
 *   one customer has at least a /64
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address.toLowerCase();
  const pieces = piecesOf(address.toLowerCase());
  const [high = 0, low = 0] = pieces.slice(6);
  // An IPv4 address, as a server that listens on IPv6 sees it: ::ffff:192.0.2.1.
  const isMapped = pieces.slice(0, 5).every((piece) => piece === 0) && pieces[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${pieces
    .slice(0, 4)
    .map((piece) => piece.toString(16))
    .join(':')}::/64`;
}

/** @returns the eight numbers of a valid IPv6 address */
function piecesOf(address: string): number[] {
  const [withoutZone = ''] = address.split('%');
  const [before = '', after] = withoutZone.split('::');
  const first = numbersOf(before);
  if (after === undefined) return first;
  const last = numbersOf(after);
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

function numbersOf(pieces: string): number[] {
  if (pieces === '') return [];
  return pieces.split(':').flatMap((piece) => {
    if (!piece.includes('.')) return [Number.parseInt(piece, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = piece.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

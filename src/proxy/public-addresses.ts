/**
 * Restricts connections to addresses that a stranger chose to the public internet. The address is checked when the connection is opened, so a
 * name that resolves differently the second time (DNS rebinding) cannot bypass the check.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIPv4, type LookupFunction } from 'node:net';
import { blockListOf, isIn } from './proxy-settings.ts';

/** IANA's special-purpose addresses (RFC 6890), multicast, and the metadata address of Azure. */
const SPECIAL = blockListOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT; Alibaba's metadata
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's metadata, in a public range
  '169.254.0.0/16', // link-local; the metadata of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // Oracle's metadata
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // IPv6
  '2001::/23', // Teredo and others that embed other addresses
  '2001:db8::/32',
  '2002::/16', // 6to4
  '3fff::/20',
]);
/**
 * The assigned global unicast range (RFC 4291, 2.4); excludes mapped IPv4, NAT64, unique local and link-local
 * addresses.
 */
const GLOBAL_IPV6 = blockListOf(['2000::/3']);

/** The name resolves only to addresses that the settings forbid. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'address_refused';

  constructor() {
    super('the name has no public address');
  }
}

/** @param address IPv4, or IPv6 without brackets; any other text counts as not public */
export function isPublicAddress(address: string): boolean {
  return (isIPv4(address) || isIn(GLOBAL_IPV6, address)) && !isIn(SPECIAL, address);
}

/** Resolves a name to all its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export const resolveBySystem: Resolve = async (hostname) => lookup(hostname, { all: true });

/** A lookup for sockets that returns only public addresses, or `AddressRefused` if the name has none. */
export function publicLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<void> => {
      const addresses = await publicAddresses(resolve, hostname);
      if (addresses instanceof Error) callback(addresses, '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0].address, addresses[0].family);
    };
    void answer();
  };
}

/** @returns the first of the name's public addresses. @throws `AddressRefused` if it has none, or the resolver's error */
export async function publicAddress(resolve: Resolve, hostname: string): Promise<string> {
  const addresses = await publicAddresses(resolve, hostname);
  if (addresses instanceof Error) throw addresses;
  return addresses[0].address;
}

/** @returns the error instead of throwing it, because it is passed to a socket's callback */
async function publicAddresses(
  resolve: Resolve,
  hostname: string,
): Promise<[LookupAddress, ...LookupAddress[]] | Error> {
  try {
    const [first, ...others] = (await resolve(hostname)).filter(({ address }) => isPublicAddress(address));
    return first === undefined ? new AddressRefused() : [first, ...others];
  } catch (error) {
    return error instanceof Error ? error : new Error('the name was not resolved', { cause: error });
  }
}

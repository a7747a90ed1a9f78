import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, publicLookup } from '../../src/proxy/public-addresses.ts';
import { endpointFault } from '../../src/webhooks/endpoint.ts';

/** Of Alibaba, Azure, most clouds, Oracle and Amazon. */
const METADATA = '100.100.100.200 168.63.129.16 169.254.169.254 192.0.0.192 fd00:ec2::254';
const PRIVATE = `${METADATA} localhost
  0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.170.2 172.16.0.1 172.31.255.255
  192.168.1.1 198.18.0.1 203.0.113.7 224.0.0.1 239.255.255.255 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::a00:1 100::1 2001::1
  2001:db8::1 2002:7f00:1:: 3fff::1 fc00::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1`;
const PUBLIC = `
  1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 168.63.129.17
  2001:4860:4860::8888 2606:4700::1111 2a00:1450:4001::200e`;

describe('An address', () => {
  test.each(['', ...PRIVATE.split(/\s+/)])('the address "%s" is not public', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );
  test.each(PUBLIC.trim().split(/\s+/))('the address "%s" is public', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});

/** The addresses that a socket gets for a name. */
async function lookUp(
  lookup: LookupFunction,
  all: boolean,
): Promise<{ error: string } | { reported: unknown; family: unknown }> {
  return new Promise((resolve) => {
    lookup('receiver.test', { all }, (error, reported, family) => {
      resolve(error === null ? { reported, family } : { error: 'code' in error ? String(error.code) : '' });
    });
  });
}

describe('A name', () => {
  const mixed: LookupAddress[] = [
    { address: '127.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
    { address: '::1', family: 6 },
    { address: '2606:4700::1111', family: 6 },
  ];

  test('a name leads to its public addresses alone', async () => {
    const lookup = publicLookup(async () => mixed);
    expect(await lookUp(lookup, true)).toEqual({ reported: [mixed[1], mixed[3]], family: undefined });
    expect(await lookUp(lookup, false)).toEqual({ reported: '8.8.8.8', family: 4 });
  });

  test('a name without a public address is refused', async () => {
    const lookup = publicLookup(async () => mixed.filter(({ address }) => !isPublicAddress(address)));
    expect(await lookUp(lookup, true)).toEqual({ error: 'address_refused' });
    expect(await lookUp(lookup, false)).toEqual({ error: 'address_refused' });
  });

  test('a name that is not known fails as the resolver says', async () => {
    const lookup = publicLookup(async () => {
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    });
    expect(await lookUp(lookup, true)).toEqual({ error: 'ENOTFOUND' });
  });
});

describe('The address of a webhook', () => {
  test.each([
    'https://example.com',
    'https://example.com:8443/hooks?app=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://notlocalhost/',
    'https://localhost.example.com/',
    'https://example.com:25/',
  ])('the webhook address %s is accepted', (url) => expect(endpointFault(url, false)).toBeUndefined());

  test.each([
    ['http://example.com', /https/],
    ['ftp://example.com', /https/],
    ['example.com', /https/],
    ['https://', /https/],
    ['https://user:secret@example.com', /password/],
    ['https://example.com/#top', /fragment/],
    ['https://127.0.0.1/', /private/],
    ['https://2130706433/', /private/],
    ['https://0x7f.1/', /private/],
    ['https://0177.0.0.1/', /private/],
    ['https://localhost/', /private/],
    ['https://LOCALHOST.:8443/hooks', /private/],
    ['https://app.localhost/', /private/],
    ['https://[::1]/', /private/],
    ['https://[::ffff:169.254.169.254]/', /private/],
    ['https://169.254.169.254/latest/meta-data', /private/],
  ])('the webhook address %s is refused', (url, reason) => expect(endpointFault(url, false)).toMatch(reason));

  test.each([
    'http://localhost:9000/',
    'http://127.0.0.1:9000/',
    'https://10.0.0.1/',
    'http://receiver.internal/',
  ])('the webhook address %s is accepted where private ones are allowed', (url) =>
    expect(endpointFault(url, true)).toBeUndefined(),
  );
});

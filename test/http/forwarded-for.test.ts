import * as fc from 'fast-check';
import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { readForwardedFor } from '../../src/http/rate-limit/forwarded-for.ts';
import { networkOf } from '../../src/http/rate-limit/network.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1, 192.0.2.2', '192.0.2.1, 192.0.2.2'],
  ['192.0.2.1:41234', '192.0.2.1'],
  ['192.0.2.1:41234,192.0.2.2:8', '192.0.2.1, 192.0.2.2'],
  ['"192.0.2.1:41234"', '192.0.2.1'],
  ['" 192.0.2.1 "', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:41234', '2001:db8::1'],
  ['"[2001:db8::1]:41234"', '2001:db8::1'],
  ['[2001:db8::1], "192.0.2.1"', '2001:db8::1, 192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6:41234', '2001:db8:1:2:3:4:5:6'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['[::ffff:192.0.2.1]:80', '::ffff:192.0.2.1'],
  ['::ffff:192.0.2.1:80', '::ffff:192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:443', 'fe80::1'],
  [' \t192.0.2.1 ,\t 192.0.2.2 ', '192.0.2.1, 192.0.2.2'],
  [',192.0.2.1,, ,192.0.2.2,', '192.0.2.1, 192.0.2.2'],
  ['', ''],
  [' , ', ''],
  ['unknown', ''],
  ['unknown, 192.0.2.1', '192.0.2.1'],
  ['192.0.2.1, unknown', ''],
  ['192.0.2.1, _hidden:80, 192.0.2.2', '192.0.2.2'],
  ['for=192.0.2.1', ''],
  ['client.example.com', ''],
  ['192.0.2.1:', ''],
  ['192.0.2.1:port', ''],
  ['192.0.2.1:123456', ''],
  ['192.0.2.300', ''],
  ['192.000.002.001', ''],
  ['[192.0.2.1', ''],
  ['1', ''],
])('the header %j is read as %j', (header, addresses) => {
  expect(readForwardedFor(header)).toBe(addresses);
});

test('anything that a proxy sends becomes addresses', () => {
  const element = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('unknown'));
  fc.assert(
    fc.property(fc.array(element), (elements) => {
      const read = readForwardedFor(elements.join(','));
      for (const address of read === '' ? [] : read.split(', ')) expect(isIP(address)).not.toBe(0);
    }),
  );
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:C000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff::', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001:1:2:3:4', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ['unknown', 'unknown'],
  ['Not:An:Address', 'not:an:address'],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

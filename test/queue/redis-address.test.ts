import { expect, it } from 'vitest';
import { readRedisAddress, withoutPasswords } from '../../src/queue/redis-address.ts';

const SERVER = {
  kind: 'server',
  isEncrypted: false,
  nodes: [{ host: 'cache', port: 6379 }],
  database: 0,
  masterName: '',
};
const SENTINEL = { ...SERVER, kind: 'sentinel', nodes: [{ host: 'a', port: 26379 }], masterName: 'mymaster' };

it.each([
  ['redis://cache', SERVER],
  ['redis://cache/', SERVER],
  ['redis://cache:7000/3', { ...SERVER, nodes: [{ host: 'cache', port: 7000 }], database: 3 }],
  [
    'rediss://Cache.Example.com',
    { ...SERVER, isEncrypted: true, nodes: [{ host: 'Cache.Example.com', port: 6379 }] },
  ],
  ['redis://u:p%40%2F%3A@cache', { ...SERVER, username: 'u', password: 'p@/:' }],
  ['redis://:p:a@ss@cache', { ...SERVER, password: 'p:a@ss' }],
  ['redis://u@cache', { ...SERVER, username: 'u' }],
  ['redis://[::1]:7000', { ...SERVER, nodes: [{ host: '::1', port: 7000 }] }],
  ['redis+cluster://cache:7000', { ...SERVER, kind: 'cluster', nodes: [{ host: 'cache', port: 7000 }] }],
  ['rediss+cluster://cache', { ...SERVER, kind: 'cluster', isEncrypted: true }],
  ['redis+sentinel://a/mymaster', SENTINEL],
  [
    'redis+sentinel://a:1,b,[::1]:2/mymaster/4',
    {
      ...SENTINEL,
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26379 },
        { host: '::1', port: 2 },
      ],
      database: 4,
    },
  ],
  [
    'rediss+sentinel://u:p@a/my%20master?sentinel_password=x%26y&sentinel_username=z',
    {
      ...SENTINEL,
      isEncrypted: true,
      username: 'u',
      password: 'p',
      masterName: 'my master',
      sentinelUsername: 'z',
      sentinelPassword: 'x&y',
    },
  ],
])('the address %s is read', (url, expected) => {
  const nothing = {
    username: undefined,
    password: undefined,
    sentinelUsername: undefined,
    sentinelPassword: undefined,
  };
  expect(readRedisAddress(url)).toEqual({ ...nothing, ...expected });
});

it.each([
  'http://cache',
  'cache:6379',
  'redis://',
  'redis://cache/queue',
  'redis://cache/0/1',
  'redis://:%@cache',
  'redis://a,b',
  'redis://a:1,b:2/0',
  'redis+cluster://a:1,b:2',
  'redis+sentinel://a',
  'redis+sentinel://a/',
  'redis+sentinel://a,/mymaster',
  'redis+sentinel://a:port/mymaster',
  'redis+sentinel://a/mymaster/x',
  'redis+sentinel://a/mymaster?sentinelPassword=x',
  'sentinel://a/mymaster',
])('the address %s is refused', (url) => {
  expect(readRedisAddress(url)).toBeUndefined();
});

it('an error about an address names neither password', () => {
  const url = 'redis+sentinel://:p%40ss@a/m?sentinel_password=o%2Fther';
  expect(withoutPasswords(url, 'AUTH p@ss p%40ss o/ther o%2Fther')).toBe('AUTH *** *** *** ***');
});

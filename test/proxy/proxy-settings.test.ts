import { describe, expect, test } from 'vitest';
import { isExcepted, parseProxyUrl, tunnelFor } from '../../src/proxy/proxy-settings.ts';

describe('The address of a proxy', () => {
  test.each([
    ['http://proxy.example.com:3128', 'http://proxy.example.com:3128/'],
    ['https://proxy.example.com', 'https://proxy.example.com/'],
    ['proxy.example.com:3128', 'http://proxy.example.com:3128/'],
    ['http://user:pass%40word@10.0.0.1:8080/', 'http://user:pass%40word@10.0.0.1:8080/'],
    ['http://[2001:db8::1]:3128', 'http://[2001:db8::1]:3128/'],
  ])('the address %s of a proxy is understood', (text, url) => {
    expect(parseProxyUrl(text)).toBe(url);
  });

  test.each([
    'socks5://proxy.example.com:1080',
    'ftp://proxy.example.com',
    'http://',
    'http://proxy.example.com:99999',
    'http://proxy.example.com/path',
    'http://proxy.example.com/?query',
    'http://user:%zz@proxy.example.com',
    'not a proxy',
    'proxy.example.com',
    '://',
  ])('the text %s is no address of a proxy', (text) => {
    expect(parseProxyUrl(text)).toBeUndefined();
  });
});

describe('NO_PROXY', () => {
  test.each([
    // Names, and the names below them.
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://push.example.com', true],
    ['.example.com', 'https://push.example.com', true],
    ['.example.com', 'https://example.com', true],
    ['*.example.com', 'https://push.example.com', true],
    ['example.com.', 'https://example.com', true],
    ['example.com', 'https://example.com.', true],
    ['EXAMPLE.com', 'https://Push.Example.COM', true],
    ['example.com', 'https://badexample.com', false],
    ['example.com', 'https://example.com.evil.net', false],
    ['push.example.com', 'https://example.com', false],
    // All.
    ['*', 'https://api.push.apple.com', true],
    ['', 'https://api.push.apple.com', false],
    // Lists.
    ['a.example, b.example', 'https://b.example', true],
    ['a.example b.example', 'https://b.example', true],
    [' ,, a.example,', 'https://a.example', true],
    // Ports.
    ['example.com:8443', 'https://example.com:8443', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    // Addresses and ranges.
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.1.2.3', 'https://10.1.2.4', false],
    ['10.1.2.3:443', 'https://10.1.2.3', true],
    ['10.1.2.3:444', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://10.200.0.1', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/99', 'https://10.0.0.1', false],
    ['2001:db8::/32', 'https://[2001:db8:1::1]', true],
    ['2001:db8::1', 'https://[2001:db8::1]:8443', true],
    ['[2001:db8::1]', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]:8443', true],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]', false],
    // Loopback, always.
    ['', 'https://localhost:2197', true],
    ['', 'https://app.localhost', true],
    ['', 'https://127.8.9.10', true],
    ['', 'https://[::1]:2197', true],
    ['', 'https://localhost.example.com', false],
  ])('NO_PROXY with %j excepts %s: %s', (except, address, isDirect) => {
    expect(isExcepted(except, new URL(address))).toBe(isDirect);
    const tunnel = tunnelFor({ url: 'http://user:secret@proxy.example.com/', except }, address);
    expect(tunnel?.name).toBe(isDirect ? undefined : 'the proxy proxy.example.com:80');
  });

  test('NO_PROXY means nothing where no proxy is set', () => {
    expect(tunnelFor(undefined, 'https://example.com')).toBeUndefined();
  });
});

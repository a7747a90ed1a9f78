import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { generate } from 'selfsigned';
import { beforeAll, expect, test } from 'vitest';
import { connectionOf, databaseUrlFaults } from '../../../src/db/address/database-url.ts';
import { makeCertificate } from '@carillon/simulator';
import { useTemporaryDir } from '../../support/temporary-dir.ts';

const BASE = { user: 'u', password: 'p', host: 'db', database: 'd' };
const VERIFIES_ALL = { ssl: {} };
const VERIFIES_NOTHING = { ssl: { rejectUnauthorized: false } };
const COMPARES_NO_NAMES = { ssl: { checkServerIdentity: expect.any(Function) } };
const OPTIONAL = { ...VERIFIES_NOTHING, Client: expect.any(Function) };

const pem = (what: string) => expect.stringMatching(`^-----BEGIN ${what}`);
const at = (query: string): string => `postgres://u:hunter2@db/d?${query}`;

const dir = useTemporaryDir();
const files = { ca: '', cert: '', key: '' };
beforeAll(async () => {
  const made = await makeCertificate('localhost');
  mkdirSync(path.join(dir.path, 'with space'));
  for (const [name, text] of [
    ['ca', made.caPem],
    ['cert', made.certificatePem],
    ['key', made.privateKeyPem],
  ] as const) {
    files[name] = path.join(dir.path, 'with space', `${name}.pem`);
    writeFileSync(files[name], text);
  }
});

test.each([
  ['postgres://u:p@db/d', BASE],
  ['postgresql://u:p@db:5433/d', { ...BASE, port: 5433 }],
  ['postgres://u:p@DB.Example.com/d', { ...BASE, host: 'DB.Example.com' }],
  ['postgres://u:p@[::1]:5433/d', { ...BASE, host: '::1', port: 5433 }],
  [
    'postgres://u%40x:p%2F%23%3F%25%3A%40@db/d%2Fe',
    { ...BASE, user: 'u@x', password: 'p/#?%:@', database: 'd/e' },
  ],
  ['postgres://u:p@ss@db/d', { ...BASE, password: 'p@ss' }],
  ['postgres://u:%C3%A4%20+@db/d', { ...BASE, password: 'ä +' }],
  ['postgres://db', { host: 'db' }],
  ['postgres://db?user=u&password=p&dbname=d', BASE],
  ['postgres:///d?host=/run/postgresql', { host: '/run/postgresql', database: 'd', ssl: false }],
  ['postgres://u:p@/d?host=/run/postgresql', { ...BASE, host: '/run/postgresql', ssl: false }],
  ['postgres://u:p@%2Frun%2Fpostgresql/d?sslmode=require', { ...BASE, host: '/run/postgresql', ssl: false }],
  [
    'postgres://u:p@db/d?application_name=push&options=-c%20geqo%3Doff',
    { ...BASE, application_name: 'push', options: '-c geqo=off' },
  ],
  ['postgres://u:p@db/d?connect_timeout=7', { ...BASE, connectionTimeoutMillis: 7_000 }],
  ['postgres://u:p@db/d?channel_binding=require', { ...BASE, enableChannelBinding: true }],
  ['postgres://u:p@db/d?channel_binding=disable', BASE],
  [
    'postgres://u:p@db/d?target_session_attrs=read-write&keepalives=1&gssencmode=disable&uselibpqcompat=true',
    BASE,
  ],
  ['postgres://u:p@db/d?sslmode=disable', { ...BASE, ssl: false }],
  ['postgres://u:p@db/d?sslmode=allow', { ...BASE, ...OPTIONAL }],
  ['postgres://u:p@db/d?sslmode=prefer', { ...BASE, ...OPTIONAL }],
  ['postgres://u:p@db/d?sslmode=require', { ...BASE, ...VERIFIES_NOTHING }],
  ['postgres://u:p@db/d?sslmode=no-verify', { ...BASE, ...VERIFIES_NOTHING }],
  ['postgres://u:p@db/d?sslmode=verify-full', { ...BASE, ...VERIFIES_ALL }],
  ['postgres://u:p@db/d?sslmode=verify-full&sslrootcert=system', { ...BASE, ...VERIFIES_ALL }],
  ['postgres://u:p@db/d?sslrootcert=system', { ...BASE, ...VERIFIES_ALL }],
  ['postgres://u:p@db/d?ssl=true', { ...BASE, ...VERIFIES_ALL }],
  ['postgres://u:p@db/d?ssl=no-verify', { ...BASE, ...VERIFIES_NOTHING }],
  ['postgres://u:p@db/d?ssl=0', { ...BASE, ssl: false }],
  [
    'postgres://u:p@db/d?sslmode=require&sslnegotiation=direct',
    { ...BASE, ...VERIFIES_NOTHING, sslnegotiation: 'direct' },
  ],
])('the address %s is read as psql reads it', (url, expected) => {
  expect(databaseUrlFaults(url)).toEqual([]);
  expect(connectionOf(url)).toEqual(expected);
});

test.each([
  ['require', COMPARES_NO_NAMES],
  ['verify-ca', COMPARES_NO_NAMES],
  ['verify-full', VERIFIES_ALL],
])('an address with sslmode=%s and files has what is in the files', (mode, { ssl }) => {
  const query = new URLSearchParams({
    sslmode: mode,
    sslrootcert: files.ca,
    sslcert: files.cert,
    sslkey: files.key,
    sslpassword: 'x',
  });
  const url = `postgres://u:p@db/d?${query.toString()}`;
  expect(databaseUrlFaults(url)).toEqual([]);
  expect(connectionOf(url)).toEqual({
    ...BASE,
    ssl: {
      ...ssl,
      ca: pem('CERTIFICATE'),
      cert: pem('CERTIFICATE'),
      key: pem('PRIVATE KEY'),
      passphrase: 'x',
    },
  });
});

test('an address with an encrypted key needs its password, and a key that belongs to the certificate', async () => {
  const { private: encrypted } = await generate([], { keyType: 'ec', passphrase: 'secret' });
  const locked = path.join(dir.path, 'locked.key');
  writeFileSync(locked, encrypted);
  const faultsWith = (more: Record<string, string>): string[] => {
    const query = new URLSearchParams({ sslmode: 'require', sslcert: files.cert, sslkey: locked, ...more });
    return databaseUrlFaults(`postgres://u:p@db/d?${query.toString()}`);
  };
  expect(faultsWith({})).toEqual(['has an encrypted sslkey and no sslpassword']);
  expect(faultsWith({ sslpassword: 'wrong' })).toEqual([
    expect.stringMatching(/it contains none that can be read/),
  ]);
  expect(faultsWith({ sslpassword: 'secret' })).toEqual(['has an sslkey that is not the key of its sslcert']);
});

test('an address gives back any user, password and database that were encoded', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(text, text, text, (user, password, name) => {
      const database = `db ${name}`; // a path of dots alone would be shortened
      const url = `postgres://${[user, password].map(encodeURIComponent).join(':')}@db/${encodeURIComponent(database)}`;
      expect(databaseUrlFaults(url)).toEqual([]);
      expect(connectionOf(url)).toMatchObject({ user, password, database, host: 'db' });
    }),
  );
});

test.each([
  ['mysql://db/x', [/^must have the form postgres:/]],
  ['postgres://u:p#1@db/d', [/^must have the form .*%23/]],
  ['postgres://u:p%zz@db/d', [/^must have the form .*%25/]],
  ['postgres://u:p%ff@db/d', [/^must have the form/]],
  ['postgres://db/d#x', [/^must have the form/]],
  [
    'postgres://a:5432,b:5432/d?target_session_attrs=read-write',
    [/^names several hosts.*one address.*primary/],
  ],
  ['postgres://a,b/d', [/^names several hosts/]],
  ['postgres:///d?host=a,b', [/^names several hosts/]],
  [
    at('sslmode=foo'),
    [/sslmode that is not one of disable, allow, prefer, require, verify-ca, verify-full$/],
  ],
  [at('sslmode=verify-ca'), [/sslmode=verify-ca without a file: add sslrootcert=/]],
  [at('sslmode=verify-ca&sslrootcert=system'), [/sslmode=verify-ca without a file/]],
  [at('sslmode=require&sslrootcert=system'), [/sslrootcert=system, which needs sslmode=verify-full/]],
  [
    at('sslmode=verify-full&sslrootcert=/nowhere/ca.pem'),
    [/sslrootcert that is not a readable file.*\/nowhere\/ca.pem: ENOENT/],
  ],
  [
    at(`sslmode=verify-full&sslrootcert=${import.meta.filename}`),
    [/sslrootcert that is not a readable file.*it contains none/],
  ],
  [at(`sslmode=verify-full&sslrootcert=${path.dirname(import.meta.filename)}`), [/EISDIR/]],
  [at('sslmode=verify-full&sslcert=/nowhere/client.pem'), [/sslcert that is no/, /needs both/]],
  [at('sslmode=prefer&sslnegotiation=direct'), [/sslnegotiation=direct, which needs/]],
  [at('sslmode=require&sslnegotiation=fast'), [/sslnegotiation that is not one of postgres, direct/]],
  [at('ssl=yes'), [/ssl that is not one of true, false.*sslmode says more/]],
  [at('channel_binding=must'), [/channel_binding that is not one of disable, prefer, require/]],
  [
    at('target_session_attrs=standby'),
    [/target_session_attrs that is not one of any, read-write, primary: Carillon writes/],
  ],
  [at('connect_timeout=0'), [/connect_timeout that is not a whole number from 1 to 600/]],
  [at('connect_timeout=5s'), [/connect_timeout/]],
  ['postgres:///d?host=db&port=x', [/port that is not a whole number/]],
  [at('schema=public'), [/the parameter schema.*search_path/]],
  [at('pgbouncer=true'), [/the parameter pgbouncer.*set DATABASE_POOLER/]],
  [at('sslMode=require'), [/has a parameter, which/]],
  [at('passfile=/x&sslmode=foo&connect_timeout=x'), [/passfile/, /sslmode/, /connect_timeout/]],
])('a fault in the address %s is named', (url, faults) => {
  const found = databaseUrlFaults(url);
  expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  expect(found.join()).not.toContain('hunter2');
});

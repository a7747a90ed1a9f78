/** What people hand over in place of a key, and what they are answered. */
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseApnsKey } from '../../src/gateways/apns/provider-token.ts';
import { parseServiceAccount } from '../../src/gateways/fcm/service-account.ts';
import { readPem } from '../../src/gateways/key-file.ts';

const spki = { type: 'spki', format: 'pem' } as const;
const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const sec1 = { type: 'sec1', format: 'pem' } as const;
const locked = { cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const apple = pair.privateKey.export(pkcs8).toString();
const google = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pkcs8).toString();
const account = {
  type: 'service_account',
  private_key_id: 'abc',
  project_id: 'my-project',
  private_key: google,
  client_email: 'push@my-project.iam.gserviceaccount.com',
};
const json = JSON.stringify(account, undefined, 2);
const body = apple.split('\n').slice(1, -2).join('\n');
const asUtf8 = (bytes: Buffer): string => bytes.toString('utf8');
const bomAndUtf16 = (text: string): string => asUtf8(Buffer.from(`\uFEFF${text}`, 'utf16le'));

let certificate = '';
beforeAll(async () => {
  certificate = (await generate([{ name: 'commonName', value: 'Apple Push Services' }], { keyType: 'ec' }))
    .cert;
});

/** Names of files, the files, what they are, and what they are as a service account if that differs. */
const files: [string, () => string, RegExp, RegExp?][] = [
  ['an empty file', () => '', /is empty/],
  ['only white space', () => ' \n\uFEFF', /is empty/],
  [
    'an encrypted key',
    () => pair.privateKey.export({ ...pkcs8, ...locked }).toString(),
    /is encrypted with a password: decrypt/,
  ],
  [
    'an old encrypted key',
    () => pair.privateKey.export({ ...sec1, ...locked }).toString(),
    /is encrypted with a password/,
  ],
  ['a public key', () => createPublicKey(apple).export(spki).toString(), /is a public key/],
  ['a certificate', () => certificate, /is a certificate, not a key/],
  ['a certificate in DER', () => asUtf8(new X509Certificate(certificate).raw), /is binary, like a \.p12/],
  [
    'a certificate in base64',
    () => new X509Certificate(certificate).raw.toString('base64'),
    /base64 of something binary/,
  ],
  [
    'a request',
    () => '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----',
    /request for a certificate/,
  ],
  ['a .p12', () => asUtf8(Buffer.from('308203c6020103308203', 'hex')), /is binary, like a \.p12/],
  [
    'a key for SSH',
    () => '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----',
    /is a key for SSH/,
  ],
  ['a public key for SSH', () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIsecret me@host', /is a key for SSH/],
  ['a damaged key', () => apple.replace(/\n.{9}/, '\n'), /that is damaged/],
  ['half a key', () => apple.slice(0, 60), /that is damaged/],
  ['a key in UTF-16', () => bomAndUtf16(apple), /is in UTF-16: save it as UTF-8/],
  ['base64 of a key', () => Buffer.from(apple).toString('base64'), /was encoded in base64 again: decode it/],
  ['base64 of JSON', () => Buffer.from(json).toString('base64'), /is JSON in base64: decode it/],
  ['a key without its first and last line', () => body, /lacks its first and last line/],
  [
    'the google-services.json',
    () => '{"project_info": {}, "client": []}',
    /is the google-services\.json of an Android app/,
  ],
  ['a property list', () => '<?xml version="1.0"?><plist/>', /GoogleService-Info\.plist/],
  ['an OAuth client id', () => '{"installed": {"client_id": "secret"}}', /is an OAuth client id/],
  ['an OAuth client id of the web', () => '{"web": {"client_id": "secret"}}', /is an OAuth client id/],
  ['the login of a person', () => '{"type": "authorized_user"}', /is the login of a person/],
  ['workload identity', () => '{"type": "external_account"}', /is a configuration of workload identity/],
  ['an API key', () => `AIza${'secret_'.repeat(5)}`, /is an API key of Google/],
  ['a server key', () => `AAAAsecretX:APA91${'secret-'.repeat(5)}`, /is a server key of the old FCM/],
  ['a service account', () => json, /is a service account of Google/],
  ['another key', () => google, /is an RSA key, but Apple's/, /is only a private key/],
  [
    'another curve',
    () => generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey.export(pkcs8).toString(),
    /is an elliptic-curve key on secp384r1/,
    /is only a private key/,
  ],
  [
    'another kind',
    () => generateKeyPairSync('ed25519').privateKey.export(pkcs8).toString(),
    /is a key of the kind ed25519/,
    /is only a private key/,
  ],
  ['anything', () => 'my secret words', /is not a private key in PEM/, /is not a JSON object/],
  ['a list', () => '[]', /is not a private key in PEM/, /is not a JSON object/],
];

describe('In place of the .p8 file of Apple', () => {
  test.each(files)(
    'the error about %s in place of the .p8 file of Apple names it, and says what to do',
    (_name, file, kind) => {
      const read = () => parseApnsKey(file());
      expect(read).toThrow(
        new RegExp(`^The APNs key .*${kind.source}.*; use the \\.p8 file as Apple gave it\\.$`),
      );
      expect(read).not.toThrow(/secret|MII/);
    },
  );
});

describe('In place of a service account', () => {
  test.each(files.filter(([name]) => name !== 'a service account'))(
    'the error about %s in place of a service account names it, and says what to do',
    (_name, file, kind, asAccount = kind) => {
      const read = () => parseServiceAccount(file());
      expect(read).toThrow(
        new RegExp(`^The service account .*${asAccount.source}.*; use the JSON file that Google`),
      );
      expect(read).not.toThrow(/secret|MII/);
    },
  );

  test.each([
    ['a key of Apple', () => apple, /is an elliptic-curve key on P-256; is not an RSA/],
    ['a public key', () => createPublicKey(apple).export(spki).toString(), /is a public key/],
    ['an encrypted key', () => pair.privateKey.export({ ...pkcs8, ...locked }).toString(), /is encrypted/],
    ['a broken key', () => 'secret', /^The "private_key" of the service account is not an RSA private key/],
  ])('the error about an account with %s names it, without the key', (_name, key, kind) => {
    const read = () => parseServiceAccount(JSON.stringify({ ...account, private_key: key() }));
    expect(read).toThrow(kind);
    expect(read).not.toThrow(/secret|MII/);
  });

  test.each([
    ['type', 'gdch'],
    ['project_id', undefined],
    ['project_id', ''],
    ['client_email', 7],
    ['private_key', undefined],
  ])('the error about an account whose %s is %j names the field', (field, value) => {
    const text = JSON.stringify({ ...account, [field]: value });
    expect(() => parseServiceAccount(text)).toThrow(`usable "${field}"`);
  });

  test('only what FCM needs is kept of a service account', () => {
    const { project_id, client_email, private_key } = account;
    expect(parseServiceAccount(json)).toEqual({ project_id, client_email, private_key });
  });
});

/** What cannot change a key. */
const disguises: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['with a byte order mark', (text) => `\uFEFF${text}`],
  ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['with CR', (text) => text.replaceAll('\n', '\r')],
  ['with \\n as two characters', (text) => text.replaceAll('\n', '\\n')],
  ['with \\r\\n as four characters', (text) => text.replaceAll('\n', '\\r\\n')],
  ['in quotes', (text) => `"${text.replaceAll('\n', '\\n')}"`],
  ['in one line', (text) => text.replaceAll('\n', ' ')],
  ['indented', (text) => text.replaceAll('\n', '\n\t  ')],
  ['with empty lines', (text) => `\n\n${text.replaceAll('\n', '\n\n')}`],
  ['in long lines', (text) => text.replaceAll(/(?<=[\w+/=])\n(?=[\w+/=])/g, '')],
  ['after other text', (text) => `Bag Attributes\n    friendlyName: push\n${text}`],
];

describe('A key', () => {
  test.each(disguises)('a key %s is read, and stored in one form', (_how, disguised) => {
    expect(readPem(disguised(apple))).toBe(apple);
    expect(parseApnsKey(disguised(apple)).export(pkcs8)).toBe(apple);
    const given = JSON.stringify({ ...account, private_key: disguised(google) });
    expect(parseServiceAccount(given).private_key).toBe(google);
  });

  test('a key in the older form of OpenSSL is read', () => {
    const old = pair.privateKey.export(sec1).toString();
    expect(parseApnsKey(old.replaceAll('\n', '\\n')).export(pkcs8)).toBe(apple);
  });

  test.each([
    ['a byte order mark', `\uFEFF${json}`],
    ['CRLF', json.replaceAll('\n', '\r\n')],
    ['white space', `\n ${json}\n\n`],
  ])('a key of Google is read from JSON with %s', (_how, text) => {
    expect(parseServiceAccount(text).private_key).toBe(google);
  });
});

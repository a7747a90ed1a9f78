import { expect, test } from 'vitest';
import { readCredentialFile } from '../src/screens/settings/credentials/credential-file.ts';

const PEM = '-----BEGIN PRIVATE KEY-----\nMIGT\n-----END PRIVATE KEY-----\n';
const account = { type: 'service_account', project_id: 'mine', private_key: PEM };

test.each([
  ['AuthKey_ABCDEFGHIJ.p8', 'ABCDEFGHIJ'],
  ['AuthKey_ABCDEFGHIJ (1).p8', 'ABCDEFGHIJ'],
  ['key.p8', ''],
  ['', ''],
])('a key of Apple in the file %j has the id %j', (name, keyId) => {
  expect(readCredentialFile({ name, text: PEM })).toEqual({ gateway: 'apns', privateKey: PEM, keyId });
});

test('a service account is recognised by its content, whatever its file is called', () => {
  const text = ` ${JSON.stringify(account)}\n`;
  expect(readCredentialFile({ name: 'AuthKey_ABCDEFGHIJ.p8', text })).toEqual({
    gateway: 'fcm',
    account,
    projectId: 'mine',
  });
});

test.each([
  ['', /neither the .p8 key/],
  ['[1]', /neither/],
  ['-----BEGIN CERTIFICATE-----', /neither/],
  ['{"project_info": {"project_id": "mine"}}', /google-services\.json/],
  ['{"project_id": "mine"}', /no private key/],
  ['{"project_id": 1, "private_key": "x"}', /no private key/],
])('the text %j is refused, and the reason names what it is', (text, reason) => {
  const read = readCredentialFile({ name: 'x', text });
  expect(read.gateway === undefined && read.fault).toMatch(reason);
});

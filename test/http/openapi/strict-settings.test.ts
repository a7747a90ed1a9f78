/** The document is as strict as the server about credentials and frequency caps, as far as JSON Schema can express it. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { frequencyCapsBody } from '../../../src/apps/frequency-caps.ts';
import { parseApnsCredentials, parseFcmCredentials } from '../../../src/apps/credentials/accept.ts';
import { parseBy } from '../../../src/api/parse.ts';
import { faultsBy } from './document.ts';
import { isAcceptedBy } from './judged.ts';

const pem = { format: 'pem' } as const;
const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', ...pem },
  privateKeyEncoding: { type: 'pkcs8', ...pem },
});
const apple = { key_id: 'SIMULATOR1', team_id: 'CARILLON01', private_key: privateKey };
const { privateKey: googleKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', ...pem },
  privateKeyEncoding: { type: 'pkcs8', ...pem },
});
const account = {
  type: 'service_account',
  project_id: 'a-project',
  private_key: googleKey,
  client_email: 'a@a-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};
const capped = (per: unknown): object => ({
  frequency_caps: [{ group: 'marketing', by: 'user', limits: [{ at_most: 2, per }] }],
});

describe.each<
  [schema: string, parse: (body: unknown) => unknown, bodies: [string, object, isValid: boolean][]]
>([
  [
    'ApnsCredentials',
    parseApnsCredentials,
    [
      ['both ids', { credentials: apple }, true],
      ['a key id in small letters', { credentials: { ...apple, key_id: 'simulator1' } }, false],
      ['a team id of nine characters', { credentials: { ...apple, team_id: 'CARILLON1' } }, false],
    ],
  ],
  [
    'FcmCredentials',
    parseFcmCredentials,
    [
      ['a service account', { credentials: { service_account: account } }, true],
      ['a project', { credentials: { project_id: 'a-project' } }, true],
      ['both', { credentials: { service_account: account, project_id: 'a-project' } }, false],
      ['neither', { credentials: { check: false } }, false],
    ],
  ],
  [
    'FrequencyCaps',
    (body) => parseBy(frequencyCapsBody, body),
    [
      ['a period', capped('P1DT12H'), true],
      ['a period without numbers', capped('PT'), false],
      ['a period in words', capped('a day'), false],
      ['a period of months', capped('P1M'), false],
    ],
  ],
])('%s', (schema, parse, bodies) => {
  test.each(bodies)(
    'a body with %s is judged alike by the document and the server',
    (_what, body, isValid) => {
      expect(isAcceptedBy(parse, body)).toBe(isValid);
      expect(faultsBy({ $ref: `#/components/schemas/${schema}` }, body).length === 0).toBe(isValid);
    },
  );
});

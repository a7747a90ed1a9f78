/** User tokens: whether the app demands them, and the keys of its back end that check them. */
import type { z } from 'zod';
import { removeIdentityKey, storeIdentityKey } from '../../../apps/identity/key-store.ts';
import { identityKeyBody, parseIdentityKeyBody } from '../../../apps/identity/key.ts';
import { identityBody, identityReply, readIdentity, setIdentityMode } from '../../../apps/identity/mode.ts';
import { parseBy } from '../../../api/parse.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { CREATED_AT } from '../samples.ts';

const call = callsWithKey('Settings');

const replies = [
  jsonReply(200, 'The mode, the keys, and how many devices have a verified user.', identityReply, {
    identity: {
      mode: 'report',
      keys: [{ key_id: '2026-11', algorithm: 'ES256', created_at: CREATED_AT }],
      devices: { sampled: 1204, with_user: 903, verified: 871 },
    },
  } satisfies z.input<typeof identityReply>),
];

export const identityCalls = [
  call({
    id: 'readIdentity',
    address: 'GET /v6/app/identity',
    summary: 'Read whether the app demands user tokens, and its keys',
    description: 'Secrets cannot be read again.',
    scopes: ['read', 'admin'],
    replies,
    handle: async ({ db }, { caller }) => ({ identity: await readIdentity(db, caller.appId) }),
  }),
  call({
    id: 'setIdentity',
    address: 'PUT /v6/app/identity',
    summary: 'Set whether the app demands user tokens',
    description:
      'Other processes follow within two seconds. After a switch to `required`, devices whose user nobody vouched for lose it ' +
      'within minutes.',
    scopes: ['admin'],
    body: { schema: identityBody, example: { identity: { mode: 'report' } } },
    replies,
    parse: (body) => parseBy(identityBody, body).identity,
    handle: async ({ db, clock, forgetCallers }, { caller, body: { mode }, author }) => {
      await setIdentityMode(db, caller.appId, mode, clock, author());
      forgetCallers();
      return { identity: await readIdentity(db, caller.appId) };
    },
  }),
  call({
    id: 'storeIdentityKey',
    address: 'POST /v6/app/identity/keys',
    repeat: 'idempotent',
    summary: 'Store a key that checks user tokens',
    description: 'At most ten. Tokens name their key in `kid`, so keys are replaced one after another.',
    scopes: ['admin'],
    body: {
      schema: identityKeyBody,
      example: {
        identity_key: {
          key_id: '2026-11',
          algorithm: 'ES256',
          key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9
q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==
-----END PUBLIC KEY-----
`,
        },
      },
    },
    replies: [{ status: 204, description: 'Stored.' }],
    parse: parseIdentityKeyBody,
    handle: async ({ db, secret, clock }, { caller, body, author }) =>
      storeIdentityKey(db, secret, caller.appId, body, clock, author()),
  }),
  call({
    id: 'removeIdentityKey',
    address: 'DELETE /v6/app/identity/keys/:key_id',
    summary: 'Remove a key that checks user tokens',
    description: 'Its tokens are refused within two seconds.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'Removed.' }],
    handle: async ({ db, clock }, { caller, params, author }) =>
      removeIdentityKey(db, { appId: caller.appId, keyId: params.key_id }, clock, author()),
  }),
];

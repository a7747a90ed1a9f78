/** API keys: list, create, revoke. */
import { z } from 'zod';
import { createApiKey, keyName, listApiKeys, revokeApiKey } from '../../../apps/api-keys.ts';
import { SCOPES } from '../../../apps/scopes.ts';
import { ApiError } from '../../../api/errors.ts';
import { parseBy } from '../../../api/parse.ts';
import { idText, timeText } from '../../../api/reply.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { CREATED_AT, KEY_ID, STARTED_AT } from '../samples.ts';

const SCOPES_RULE = `must be a list of one or more of ${SCOPES.join(', ')}`;

const newKeyBody = z
  .strictObject({
    key: z.strictObject({
      name: keyName.describe('The key’s name for people, such as `back end`.').nullish(),
      scopes: z.array(z.enum(SCOPES, SCOPES_RULE), SCOPES_RULE).min(1, SCOPES_RULE),
    }),
  })
  .meta({ id: 'CreateKey' });

const keyReply = z
  .strictObject({
    id: idText,
    name: z.string().nullable(),
    scopes: z.array(z.enum(SCOPES)),
    created_at: timeText,
    last_used_at: timeText.nullable().describe('When the key was last used, to the minute.'),
    revoked_at: timeText.nullable(),
  })
  .meta({ id: 'ApiKey' });

const newKeyReply = keyReply
  .extend({
    secret: z.string().describe('The key itself. Only this reply contains it; it cannot be read again.'),
  })
  .meta({ id: 'NewApiKey' });

const keyListReply = z.strictObject({ keys: z.array(keyReply) }).meta({ id: 'KeyList' });

const createdKeyReply = z.strictObject({ key: newKeyReply }).meta({ id: 'CreatedKey' });

const apiKey = {
  id: KEY_ID,
  name: 'back end',
  scopes: ['read', 'write'],
  created_at: CREATED_AT,
  last_used_at: STARTED_AT,
  revoked_at: null,
};

const newApiKey = {
  ...apiKey,
  last_used_at: null,
  secret: 'carillon_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
};

const call = callsWithKey('Settings');

export const keyCalls = [
  call({
    id: 'listKeys',
    address: 'GET /v6/keys',
    summary: 'List API keys, newest first',
    description: 'Includes revoked keys; at most 1,000. The keys themselves cannot be read again.',
    scopes: ['admin'],
    replies: [jsonReply(200, 'The keys of the app.', keyListReply, { keys: [apiKey] })],
    handle: async ({ db }, { caller: { appId } }) => ({
      keys: (await listApiKeys(db, appId)).map((key) => ({
        id: key.id,
        name: key.name,
        scopes: key.scopes,
        created_at: key.created_at.toISOString(),
        last_used_at: key.last_used_at?.toISOString() ?? null,
        revoked_at: key.revoked_at?.toISOString() ?? null,
      })),
    }),
  }),
  call({
    id: 'createKey',
    address: 'POST /v6/keys',
    summary: 'Create an API key',
    scopes: ['admin'],
    body: { schema: newKeyBody, example: { key: { name: apiKey.name, scopes: apiKey.scopes } } },
    replies: [jsonReply(201, 'The new key, with its secret.', createdKeyReply, { key: newApiKey })],
    parse: (body) => parseBy(newKeyBody, body).key,
    handle: async ({ db, clock }, { caller, body, author }) => {
      const createdAt = clock();
      const scopes = SCOPES.filter((scope) => body.scopes.includes(scope));
      const name = body.name ?? null;
      const created = { appId: caller.appId, scopes, name };
      const { id, key } = await createApiKey(db, created, () => createdAt, author());
      const unused = { last_used_at: null, revoked_at: null };
      return { key: { id, name, scopes, created_at: createdAt.toISOString(), ...unused, secret: key } };
    },
  }),
  call({
    id: 'revokeKey',
    address: 'DELETE /v6/keys/:key_id',
    summary: 'Revoke an API key',
    description:
      'The key is refused from then on, by other processes within two seconds. A second call changes nothing.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'Revoked.' }],
    handle: async ({ db, clock, forgetCallers }, { caller, params, author }) => {
      const options = { appId: caller.appId, author: author() };
      const exists = await revokeApiKey(db, params.key_id, clock, options);
      if (!exists) throw new ApiError('not_found', { message: 'There is no such API key.' });
      forgetCallers();
    },
  }),
];

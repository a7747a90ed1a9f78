import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseIdempotency } from '../../../src/notifications/idempotency.ts';
import { contentToSend } from '../../../src/notifications/sensitive/stored-body.ts';
import { redacted, sensitiveFaults } from '../../../src/notifications/sensitive/sensitive.ts';
import { openTokenKeys, resealTokenKeys } from '../../../src/apps/token-keys.ts';
import { parseSecretKey } from '../../../src/process/secret-key.ts';
import { useApi } from '../../http/api.ts';
import { testSecret } from '../../support/secret.ts';

const api = useApi();
const CODE = 'Your code is 493 021';

const notification = {
  to: { user_id: 'anna' },
  sensitive: true,
  payload: { alert: CODE, sound: 'ping', badge: 1, collapse_key: 'code', data: { code: 493_021 } },
};

async function create(fields: object, headers: Record<string, string> = {}) {
  const body = { notification: { ...notification, ...fields } };
  return api.call('POST /v6/notifications', { body, headers });
}

async function stored() {
  const reply = await create({ deliver_at: new Date(Date.now() + 86_400_000).toISOString() });
  expect(reply.status).toBe(201);
  const {
    id,
    body,
    encrypted_body: encryptedBody,
  } = await api.db
    .selectFrom('notifications')
    .select(['id', 'body', 'encrypted_body'])
    .where('app_id', '=', api.app.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return { appId: api.app.id, id, body, encryptedBody };
}

describe('the key', () => {
  test('true hides texts and custom keys, and leaves names, numbers and flags', () => {
    expect(redacted(true, notification)).toEqual({
      ...notification,
      payload: {
        alert: '[hidden]',
        sound: 'ping',
        badge: 1,
        collapse_key: 'code',
        data: '[hidden]',
      },
    });
  });

  test('a list hides its keys in translations and variants as well, where a null still removes a key', () => {
    const keys = ['alert', 'loc_args'];
    const all = {
      payload: { alert: CODE, title: 'Bank', loc_key: 'CODE', loc_args: [CODE, '1'] },
      localized: { fr: { alert: CODE, title: 'Banque' }, de: { alert: null } },
      variants: [{ name: 'a', weight: 1, payload: { alert: CODE }, localized: { fr: { alert: CODE } } }],
    };
    expect(redacted(keys, all)).toEqual({
      payload: { alert: '[hidden]', title: 'Bank', loc_key: 'CODE', loc_args: ['[hidden]'] },
      localized: { fr: { alert: '[hidden]', title: 'Banque' }, de: { alert: null } },
      variants: [
        { name: 'a', weight: 1, payload: { alert: '[hidden]' }, localized: { fr: { alert: '[hidden]' } } },
      ],
    });
  });

  test.each<[string, object, string]>([
    ['a misspelt key', { sensitive: ['alrt'] }, 'notification.sensitive[0] is not a key of the payload'],
    ['a key that is no text', { sensitive: ['badge'] }, 'notification.sensitive[0] cannot be hidden: only'],
    ['no key', { sensitive: [] }, 'notification.sensitive must be true, false, or a list of 1 to 50 keys'],
    ['a text', { sensitive: 'alert' }, 'notification.sensitive must be true, false, or a list'],
    [
      'a Live Activity',
      { live_activity: { event: 'update', activity_id: 'a', content_state: {} } },
      'notification.sensitive must be left out for the update of a Live Activity',
    ],
    [
      'a text that was copied from a reply',
      { payload: { alert: '[hidden]' } },
      'notification.payload.alert is the mark of a hidden text: write the text again',
    ],
    [
      'a translation that was copied from a reply',
      { localized: { fr: { alert: '[hidden]' } } },
      'notification.localized.fr.alert is the mark of a hidden text',
    ],
  ])('%s is refused', async (_name, fields, message) => {
    const reply = await create(fields);
    expect(reply.status).toBe(422);
    expect(JSON.stringify(reply.body)).toContain(message);
  });

  test('a broadcast to a channel cannot be sensitive', async () => {
    const broadcast = { event: 'update', content_state: {}, sensitive: true };
    const reply = await api.call(`POST /v6/channels/${randomUUID()}/broadcasts`, { body: { broadcast } });
    expect(reply.status).toBe(422);
    expect(JSON.stringify(reply.body)).toContain('sensitive');
  });

  test('false hides nothing', async () => {
    const reply = await create({ sensitive: false });
    expect(reply).toMatchObject({ status: 201, body: { notification: { payload: { alert: CODE } } } });
    expect(sensitiveFaults(false, notification)).toEqual([]);
  });
});

test('the preview of a stored notification shows the marks, and says that it cannot be sent like this', async () => {
  const { id } = await stored();
  const { body } = await api.call(`GET /v6/notifications/${id}`);
  const { notification: copied } = z.object({ notification: z.unknown() }).parse(body);
  const preview = await api.call('POST /v6/notifications/preview', { body: { notification: copied } });
  expect(preview).toMatchObject({ status: 200, body: { refusal: { status: 422 } } });
  const text = JSON.stringify(preview.body);
  expect(text).toContain('is the mark of a hidden text');
  expect(text).not.toContain('493 021');
  expect(preview.body).toMatchObject({ compiled: { fcm: { body: expect.stringContaining('[hidden]') } } });
});

describe('the idempotency key', () => {
  const deliverAt = new Date(Date.now() + 86_400_000).toISOString();
  let headers: Record<string, string>;
  beforeEach(() => {
    headers = { 'idempotency-key': randomUUID() };
  });

  test('a repeated call gets the first reply again, and another code is refused', async () => {
    const first = await create({ deliver_at: deliverAt }, headers);
    expect(first).toMatchObject({ status: 201, body: { notification: { payload: { alert: '[hidden]' } } } });
    expect(await create({ deliver_at: deliverAt }, headers)).toEqual({
      ...first,
      headers: expect.anything(),
    });
    const other = { ...notification.payload, alert: 'Your code is 493 022' };
    expect(await create({ deliver_at: deliverAt, payload: other }, headers)).toMatchObject({ status: 409 });
  });

  test('a code cannot be guessed from the stored hash of the body', async () => {
    await create({ deliver_at: deliverAt }, headers);
    const { body_hash: kept } = await api.db
      .selectFrom('notifications')
      .select('body_hash')
      .where('idempotency_key', '=', headers['idempotency-key'] ?? '')
      .executeTakeFirstOrThrow();
    const body = { notification: { ...notification, deliver_at: deliverAt } };
    const guessed = parseIdempotency('key', body)?.bodyHash;
    expect(guessed).toHaveLength(createHash('sha256').digest().length);
    expect(kept?.equals(guessed ?? Buffer.of())).toBe(false);
  });
});

describe('the encrypted body', () => {
  test('delivery gets what was submitted, from the encrypted body', async () => {
    const content = await contentToSend(await stored(), openTokenKeys(api.db, testSecret));
    expect(content.payload).toEqual(notification.payload);
  });

  test('an encrypted body is read for its own notification only', async () => {
    const row = await stored();
    const keys = openTokenKeys(api.db, testSecret);
    await expect(contentToSend({ ...row, id: randomUUID() }, keys)).rejects.toThrow('cannot be decrypted');
  });

  test('an encrypted body is read after SECRET_KEY was replaced', async () => {
    const row = await stored();
    const next = { ...parseSecretKey('1'.repeat(64)), previous: testSecret.current };
    await api.db.transaction().execute(async (transaction) => {
      await resealTokenKeys(transaction, next);
      const keys = openTokenKeys(transaction, { current: next.current });
      expect((await contentToSend(row, keys)).payload).toEqual(notification.payload);
      await resealTokenKeys(transaction, { current: testSecret.current, previous: next.current });
    });
  });

  test('marks are never sent: without the encrypted body there is no content', async () => {
    const row = { ...(await stored()), encryptedBody: null };
    await expect(contentToSend(row, openTokenKeys(api.db, testSecret))).rejects.toThrow('it has ended');
  });

  test('no statement can end a notification and keep the encrypted body', async () => {
    const { id } = await stored();
    const update = api.db.updateTable('notifications').set({ state: 'canceled', ended_at: new Date() });
    await expect(update.where('id', '=', id).execute()).rejects.toThrow('notifications_ended_have_no_secret');
  });
});

/** Every way to get a call wrong that we could think of: its status, its code, and that nothing was stored. */
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Call, idIn, useApi } from '../api.ts';
import { badAddresses, badQueries, missing, unknownNames } from './addresses.ts';
import { countAudience, createAudience, explainFilters } from './audiences.ts';
import { unusableBodies } from './bodies.ts';
import { type BadCall, device, filter, notification, type } from './call.ts';
import { lookUpDevices, registerDevice, reportEvents, updateDevice, updateUser } from './devices.ts';
import { filters } from './filters.ts';
import {
  countNotification,
  countNotificationLocales,
  createNotification,
  reportOpen,
} from './notifications.ts';
import { digestOfEverything } from '../stored.ts';

/** How the messages of details begin: each goes on where its path ends, as the end of a sentence. */
const PREDICATE = /^(?:must|may|is|has|of) /;

const STATUS: Readonly<Record<string, number>> = {
  invalid_json: 400,
  invalid_header: 400,
  not_found: 404,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_request: 422,
  payload_too_large: 422,
};

const errorReply = z.object({
  error: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })),
});

const groups: [address: string, cases: BadCall[]][] = [
  ['POST /v6/notifications', [...unusableBodies, ...createNotification, ...filters]],
  ['POST /v3/notifications', createNotification.slice(0, 3)],
  ['POST /v5/notifications', createNotification.slice(0, 3)],
  ['POST /v6/devices', [...unusableBodies, ...registerDevice]],
  ['PUT /v6/devices/<device>', [...unusableBodies, ...updateDevice]],
  ['POST /v6/devices/lookup', [...unusableBodies, ...lookUpDevices]],
  ['POST /v6/devices/<device>/events', [...unusableBodies, ...reportEvents]],
  ['POST /v6/users/someone/events', [...unusableBodies, ...reportEvents]],
  ['PUT /v6/users/someone', [...unusableBodies, ...updateUser]],
  ['POST /v6/notifications/<notification>/opens', [...unusableBodies, ...reportOpen]],
  ['POST /v6/notifications/preview', unusableBodies],
  ['POST /v6/notifications/locales', [...unusableBodies, ...countNotificationLocales]],
  ['POST /v6/notifications/count', [...unusableBodies, ...countNotification]],
  ['POST /v6/audiences', [...unusableBodies, ...createAudience]],
  ['POST /v6/audiences/count', [...unusableBodies, ...countAudience]],
  ['POST /v6/audiences/count/filters', [...unusableBodies, ...countAudience]],
  ['POST /v6/audiences/sample', [...unusableBodies, ...countAudience]],
  ['POST /v6/audiences/explain', [...unusableBodies, ...explainFilters]],
];

describe('A bad request', () => {
  const api = useApi();
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const empty = await digestOfEverything(api.db);
    const registered = await api.call('POST /v6/devices', device({ user_id: 'someone', tags: ['a'] }));
    const created = await api.call('POST /v6/notifications', filter('tags', 'a'));
    ids.set('<device>', idIn(registered));
    ids.set('<notification>', idIn(created));
    ids.set('<audience>', z.object({ to: z.object({ id: z.string() }) }).parse(created.body).to.id);
    expect(await digestOfEverything(api.db)).not.toBe(empty);
  });

  const callReal = async (address: string, call: Call) =>
    api.call(
      address.replace(/<[^>]+>/g, (name) => ids.get(name) ?? name),
      call,
    );

  /** A refusal is in the one shape, names the path, and leaves everything as it was. */
  async function expectRefusal(address: string, [, call, refusal]: BadCall): Promise<void> {
    const [status, code] = refusal in STATUS ? [STATUS[refusal], refusal] : [422, 'invalid_request'];
    const before = await digestOfEverything(api.db);
    const reply = await callReal(address, call);
    expect({ status: reply.status, body: reply.body }).toEqual({
      status,
      body: {
        error: expect.stringMatching(/./),
        code,
        ...(status === 422 && { details: expect.any(Array) }),
      },
    });
    if (code === 'invalid_request') {
      const { error, details } = errorReply.parse(reply.body);
      for (const { message } of details) expect(message).toMatch(PREDICATE);
      const [first] = details;
      expect(error.startsWith(`${first?.path || 'The body'} ${first?.message}`), error).toBe(true);
      expect(error).not.toMatch(/Invalid|received/);
    }
    if (code !== refusal) {
      const { details } = errorReply.parse(reply.body);
      expect(details).toContainEqual({ path: refusal, message: expect.stringMatching(/./) });
    }
    expect(reply.headers['x-request-id']).toMatch(/./);
    expect(await digestOfEverything(api.db)).toBe(before);
  }

  for (const [address, cases] of groups) {
    test.each(cases)(`${address} with %s is refused`, async (...bad) => expectRefusal(address, bad));
  }
  test.each([...badAddresses, ...badQueries])('%s is refused', async (...bad) => expectRefusal(bad[0], bad));

  test.each(missing)('the reply to %s says what does not exist', async (address, call, sentence) => {
    const reply = await callReal(address, call);
    expect(reply).toMatchObject({ status: 404, body: { error: sentence, code: 'not_found' } });
  });

  test.each(unknownNames)('%s is refused: %s', async (address, sentence) => {
    const before = await digestOfEverything(api.db);
    const lines = { raw: '', headers: type('application/x-ndjson') };
    const body = address.startsWith('POST') ? notification({}) : {};
    const reply = await callReal(address, address.includes('import') ? lines : body);
    const { error } = errorReply.parse(reply.body);
    expect([reply.status, error]).toEqual([422, expect.stringContaining(sentence)]);
    expect(await digestOfEverything(api.db)).toBe(before);
  });

  test('a bad request is refused with all of its faults at once', async () => {
    const bad = {
      notification: {
        to: [
          { name: 'nothing', criteria: ['a'] },
          { name: 'badge', criteria: [] },
        ],
        payload: { badge: -1, from: 'x', relevance_score: 2 },
        priority: 'urgent',
        x: 1,
      },
    };
    const reply = await api.call('POST /v6/notifications', { body: bad });
    const { error, details } = errorReply.parse(reply.body);
    expect(details.map(({ path }) => path).sort()).toEqual([
      'notification.payload.badge',
      'notification.payload.from',
      'notification.payload.relevance_score',
      'notification.priority',
      'notification.to[0].name',
      'notification.to[1].criteria',
      'notification.x',
    ]);
    expect(error).toContain('and 6 more');
  });
});

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { findOrCreateAudience } from '../support/audiences.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { type CreateDeps, createNotification } from '../../src/notifications/create.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { CreatedNotification } from '../../src/notifications/look-up/notification-reply.ts';
import { drainJob, type Job } from '../../src/queue/job.ts';
import { parsed } from '../filters/parsed.ts';
import { collectObservations, useTestDatabase } from '../support/database.ts';
import { countStatements, untilWaiting } from '../support/statements.ts';
import { type AppWithAudience, countRows, insertAppWithAudience } from './rows.ts';
import { PATIENCE } from '../support/patience.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T10:00:00.123Z');
const HI = '"payload":{"alert":"Hi"}';
let app: AppWithAudience;
let jobs: Job[];
let observations: ReturnType<typeof collectObservations>;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
  jobs = [];
  observations = collectObservations();
});

function deps(overrides: Partial<CreateDeps> = {}): CreateDeps {
  const queue = { add: async (added: readonly Job[]) => void jobs.push(...added) };
  return { clock: () => NOW, queue, observe: observations.observe, ...overrides };
}

/** Creates a notification from its JSON text, as a request does. */
async function create(
  notification: string,
  overrides: Partial<CreateDeps> = {},
): Promise<CreatedNotification> {
  const body = parseJson(`{"notification":${notification}}`);
  return createNotification(database.db, { appId: app.appId, body, requestId: 'request-1' }, deps(overrides));
}

/** Counts the app's rows, without the audience of `insertAppWithAudience`. */
async function stored(): Promise<{ notifications: number; audiences: number }> {
  const [notifications, audiences] = await Promise.all([
    countRows(database.db, 'notifications', app.appId),
    countRows(database.db, 'audiences', app.appId),
  ]);
  return { notifications, audiences: audiences - 1 };
}

const read = async ({ id }: { id: string }) => readNotification(database.db, app.appId, id, () => NOW);

describe('a created notification', () => {
  test('a created notification is returned as documented, stored, and wakes a worker', async () => {
    const created = await create(`{"to":"*",${HI}}`);
    expect(created).toEqual({
      created_at: '2026-11-21T10:00:00.123Z',
      state: 'scheduled',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      to: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), type: 'Audience' },
      notification: { to: '*', payload: { alert: 'Hi' } },
    });
    expect(await read(created)).toMatchObject({
      ...created,
      due_at: created.created_at,
      devices: 0,
      pending: 0,
    });
    expect(jobs).toEqual([drainJob]);
  });

  test('a notification is returned exactly as submitted: order of keys, long numbers, any custom value', async () => {
    const notification =
      '{"payload":{"z":12345678901234567890,"alert":"é\\u0001","relevance_score":0.57,"_st":{"y":[1e400,null]}},"priority":"high","to":"*"}';
    const created = await create(notification);
    expect(stringifyJson(created.notification)).toBe(notification);
    const record = await read(created);
    expect(stringifyJson(record.notification)).toBe(notification);
  });

  test('a notification has an id that begins with the time, and so has a new audience', async () => {
    const before = Date.now();
    const { id, to } = await create(`{"to":"*",${HI}}`);
    for (const one of [id, to.id ?? '']) {
      const milliseconds = Number.parseInt(one.replace('-', '').slice(0, 12), 16);
      expect(milliseconds).toBeGreaterThanOrEqual(before);
      expect(milliseconds).toBeLessThanOrEqual(Date.now());
    }
  });

  test('notifications for the same filters in another order share an audience, under any concurrency', async () => {
    const created = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        create(
          index % 2 === 0
            ? `{"to":[{"name":"tags","criteria":["a","b"]}],${HI}}`
            : `{"to":[{"criteria":["b","a","a"],"name":"tags","not_filter":false}],${HI}}`,
        ),
      ),
    );
    expect(new Set(created.map(({ to }) => to.id)).size).toBe(1);
    expect(await stored()).toEqual({ notifications: 20, audiences: 1 });
  });

  test('a notification for filters that a concurrent call stores first has that audience', async () => {
    const to = '[{"name":"tags","criteria":["contested"]}]';
    const audience = { appId: app.appId, filters: parsed(parseJson(to)), clock: () => NOW };
    let created: Promise<CreatedNotification> | undefined;
    const { id } = await database.db.transaction().execute(async (transaction) => {
      const made = await findOrCreateAudience(transaction, audience);
      created = create(`{"to":${to},${HI}}`);
      await untilWaiting(database.db);
      return made;
    });
    expect((await created)?.to.id).toBe(id);
    expect(await stored()).toEqual({ notifications: 1, audiences: 1 });
  });

  test.each(['"*"', '[{"name":"tags","criteria":["one trip"]}]', '"<id>"'])(
    'a notification to %s costs one statement, whether or not the audience is new',
    async (to) => {
      const counted = countStatements(database.db);
      const body = parseJson(`{"notification":{"to":${to.replace('<id>', app.audienceId)},${HI}}}`);
      const request = { appId: app.appId, body, requestId: 'request-1' };
      await createNotification(counted.db, request, deps());
      await createNotification(counted.db, { ...request, idempotencyKey: randomUUID() }, deps());
      expect(counted.count()).toBe(2);
    },
  );

  test('a notification to everyone has the one audience of everyone', async () => {
    const [first, second] = [await create(`{"to":"*",${HI}}`), await create(`{"to":"*",${HI}}`)];
    expect(first.to).toEqual(second.to);
    expect(await stored()).toEqual({ notifications: 2, audiences: 1 });
  });

  test.each([
    ['a bare id', (id: string) => `"${id}"`],
    ['an object', (id: string) => `{"audience":"${id}"}`],
    ['an id in upper case', (id: string) => `"${id.toUpperCase()}"`],
  ])('a notification takes a stored audience as %s', async (_, to) => {
    const created = await create(`{"to":${to(app.audienceId)},${HI}}`);
    expect(created.to).toEqual({ id: app.audienceId, type: 'Audience' });
  });

  test('a notification that is due later is stored with its time, and queues no job', async () => {
    const created = await create(`{"to":"*",${HI},"deliver_at":"2026-11-22T10:00:00+01:00"}`);
    expect(await read(created)).toMatchObject({ state: 'scheduled', due_at: '2026-11-22T09:00:00.000Z' });
    expect(jobs).toEqual([]);
  });

  test('a dry run is due now, whatever its deliver_at', async () => {
    const created = await create(`{"to":"*",${HI},"dry_run":true,"deliver_at":"2026-11-22T10:00:00+01:00"}`);
    expect(await read(created)).toMatchObject({ due_at: '2026-11-21T10:00:00.123Z' });
    expect(jobs).toHaveLength(1);
  });

  test('a notification that was due in the past is due now', async () => {
    const created = await create(`{"to":"*",${HI},"deliver_at":"2026-11-20T10:00:00Z"}`);
    expect(await read(created)).toMatchObject({ due_at: '2026-11-21T10:00:00.123Z' });
    expect(jobs).toHaveLength(1);
  });
});

describe('a worker is woken', () => {
  test('a worker is woken only once the notification can be read', async () => {
    const readable: Promise<unknown>[] = [];
    const queue = {
      add: async () => {
        readable.push(
          database.db
            .selectFrom('notifications')
            .select('state')
            .where('app_id', '=', app.appId)
            .executeTakeFirstOrThrow(),
        );
      },
    };
    await create(`{"to":"*",${HI}}`, { queue });
    await vi.waitFor(() => expect(readable).toHaveLength(1), PATIENCE);
    await expect(readable[0]).resolves.toMatchObject({ state: 'scheduled' });
  });

  test('a worker is woken once the reply is certain: if that fails, the error is logged and the notification stays', async () => {
    const queue = {
      add: async () => {
        throw new Error('no connection');
      },
    };
    const created = await create(`{"to":"*",${HI}}`, { queue });
    expect(await read(created)).toMatchObject({ state: 'scheduled' });
    await vi.waitFor(
      () => expect(observations.seen).toEqual([{ kind: 'queue_error', message: 'no connection' }]),
      PATIENCE,
    );
  });

  test('a queue that never answers does not delay the reply', async () => {
    const queue = { add: async () => new Promise<void>(() => undefined) };
    await expect(create(`{"to":"*",${HI}}`, { queue })).resolves.toMatchObject({ state: 'scheduled' });
  });
});

describe('refused requests', () => {
  const filters = '[{"name":"tags","criteria":["never stored"]}]';
  test.each([
    ['a reserved key', `{"to":${filters},"payload":{"from":"x"}}`, { code: 'invalid_request' }],
    ['a bad filter', `{"to":[{"name":"nope","criteria":["x"]}],${HI}}`, { code: 'invalid_request' }],
    ['an unknown audience', `{"to":"${randomUUID()}",${HI}}`, { code: 'not_found' }],
    ['a malformed audience id', `{"to":"everyone",${HI}}`, { code: 'not_found' }],
    [
      'a payload that is too large',
      `{"to":${filters},"payload":{"alert":"${'a'.repeat(4_200)}"}}`,
      { code: 'payload_too_large' },
    ],
  ])('a request refused for %s stores nothing', async (_, notification, error) => {
    await expect(create(notification)).rejects.toMatchObject(error);
    expect(await stored()).toEqual({ notifications: 0, audiences: 0 });
    expect(jobs).toEqual([]);
  });

  test("a request for another app's audience stores nothing", async () => {
    const other = await insertAppWithAudience(database.db);
    await expect(create(`{"to":"${other.audienceId}",${HI}}`)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('notification.to'),
    });
    expect(await stored()).toEqual({ notifications: 0, audiences: 0 });
  });

  test('a request stores nothing if the database fails after the audience was made', async () => {
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'full'; end $$`.execute(
      database.db,
    );
    await sql`create trigger refuse before insert on notifications execute function refuse()`.execute(
      database.db,
    );
    try {
      await expect(create(`{"to":${filters},${HI}}`)).rejects.toThrow('full');
    } finally {
      await sql`drop trigger refuse on notifications`.execute(database.db);
    }
    expect(await stored()).toEqual({ notifications: 0, audiences: 0 });
    expect(jobs).toEqual([]);
  });
});

/** The JSON text of a notification; `image` is JSON too. */
function withImage(image: string): string {
  return `{"to":"*","payload":{"alert":"Hi","image":${image}}}`;
}

describe('apps whose pushes Android draws', () => {
  const android = { presentation: 'system', icon: null, color: null } as const;
  const createFor = async (notification: string): Promise<CreatedNotification> => {
    const body = parseJson(`{"notification":${notification}}`);
    return createNotification(
      database.db,
      { appId: app.appId, android, body, requestId: 'request-1' },
      deps(),
    );
  };
  const large = `"payload":{"alert":"${'a'.repeat(2_500)}"}`;

  test('a push that Android draws is measured in that larger form, unless the notification overrides it', async () => {
    await expect(createFor(`{"to":"*",${large}}`)).rejects.toMatchObject({ code: 'payload_too_large' });
    await createFor(`{"to":"*",${large},"android_presentation":"data"}`);
    await create(`{"to":"*",${large}}`);
  });

  test('a push that Android draws needs a picture with an address from which Android can load it', async () => {
    for (const image of ['"cat.png"', '"http://example.com/a.png"', '7']) {
      await expect(createFor(withImage(image))).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'notification.payload.image' }],
      });
      await create(withImage(image));
    }
    await createFor(withImage('"https://example.com/a.png"'));
  });
});

/**
 * Each outage is in the list of troubles within seconds, in words, and gone soon after it is over; an open page of the console says
 * so as well, and mends itself. The seconds are printed; a busy machine may take longer than docs/decisions/0050 says.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { insertUser } from '../console/browser.ts';
import { fillDisk } from '../support/full-disk.ts';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { portOf } from '../support/ports.ts';
import { PATIENCE } from '../support/patience.ts';
import type { RunningProcess } from '../support/processes.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { type ClusterApp, useCluster, workerStarted } from '../processes/cluster.ts';
import { executablePath, openBrowser } from './console/support/browser.ts';
import { signIn } from './console/support/console.ts';

const listSchema = z.object({
  troubles: z.array(z.object({ code: z.string(), what: z.string(), route: z.string().nullish() })),
});
type Listed = z.infer<typeof listSchema>['troubles'][number];

const timeout = 90_000;
const DEVICES = 60;
/** Not less than the pause between two looks of a process. */
const POLL_MS = 50;

describeWithOwnRedis({ name: 'the list of troubles', timeout }, (redis) => {
  const postgres = useOwnPostgres();
  const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' };
  const cluster = useCluster(redis, { database: postgres, settings });
  const seconds: Record<string, Record<'named' | 'gone' | 'shown' | 'hidden', string>> = {};
  let browser: Browser | undefined;
  /** An admin's overview, if there is a browser. */
  let page: Page | undefined;
  let app: ClusterApp;
  /** The only one. Every test has its own, so that one of them can kill it. */
  let worker: RunningProcess;

  beforeAll(async () => {
    if (executablePath !== undefined) browser = await openBrowser();
  });
  afterAll(async () => browser?.close());

  async function openOverview(by: Browser): Promise<Page> {
    await page?.context().close();
    const roles = { [app.app.id]: 'admin' } as const;
    const { db, url: origin } = cluster;
    const userId = await insertUser(db, systemClock, { name: `admin of ${app.app.id}`, roles });
    const context = await by.newContext();
    await signIn(context, { db, userId, origin });
    const opened = await context.newPage();
    await opened.goto(`${origin}/console/apps/${app.app.bundleId}/overview`);
    await opened.getByText('Ready', { exact: true }).waitFor();
    return opened;
  }

  beforeEach(async () => {
    app = await cluster.makeApp(DEVICES);
    worker = await workerStarted(cluster.startWorker());
    await untilGone('no_worker');
    if (browser !== undefined) page = await openOverview(browser);
  });
  // eslint-disable-next-line no-console
  afterAll(() => console.table(seconds));

  /** Troubles of the server, by the call that needs no key. */
  async function listed(path = '/readyz'): Promise<Listed[]> {
    return listSchema.parse((await app.backend.call('GET', path)).body).troubles;
  }

  async function until(isThere: boolean, code: string, path?: string): Promise<Listed | undefined> {
    return vi.waitFor(
      async () => {
        const found = (await listed(path)).find((one) => one.code === code);
        if ((found !== undefined) !== isThere)
          throw new Error(`${code} is ${isThere ? 'missing' : 'still there'}`);
        return found;
      },
      { ...PATIENCE, interval: POLL_MS },
    );
  }

  async function untilGone(code: string, path?: string): Promise<void> {
    await until(false, code, path);
  }

  /**
   * Makes an outage, waits until it is named, ends it, and waits until it is no longer named.
   * @param end begins when the outage is over, and resolves when that could be known
   */
  async function outage(
    name: string,
    { begin, end, code, path }: { begin: () => unknown; end: () => unknown; code: string; path?: string },
  ): Promise<string> {
    const begun = performance.now();
    await begin();
    let what = '';
    let named = 0;
    let shown = 0;
    try {
      what = (await until(true, code, path))?.what ?? '';
      named = performance.now() - begun;
      await untilInBar(what);
      shown = performance.now() - begun;
    } finally {
      await end();
    }
    const ended = performance.now();
    await untilGone(code, path);
    const gone = performance.now() - ended;
    await page?.locator('strong').getByText(what).waitFor({ state: 'detached' });
    const hidden = performance.now() - ended;
    seconds[name] = {
      named: inSeconds(named),
      gone: inSeconds(gone),
      shown: inSeconds(shown),
      hidden: inSeconds(hidden),
    };
    return what;
  }

  /** An error says what the page shows in its place. */
  async function untilInBar(what: string): Promise<void> {
    const shown = page?.getByRole('region', { name: 'Status' }).locator('strong').getByText(what);
    await shown?.waitFor().catch(async (cause: unknown) => {
      throw new Error(`the page shows: ${await page?.locator('body').innerText()}`, { cause });
    });
  }

  const status = '/v6/status';

  test('a dead Redis is named, and that pushes go on', async () => {
    const what = await outage('Redis killed', {
      begin: async () => redis.kill(),
      end: async () => redis.restart(),
      code: 'queue_away',
    });
    expect(what).toBe('Redis is away.');
  });

  test('a frozen Postgres is named, reads say so at once, and no worker is called dead afterwards', async () => {
    let thaw = nothing;
    const begin = async (): Promise<void> => {
      thaw = await postgres.freeze();
    };
    const end = async (): Promise<void> => {
      // Not even the frame can be shown then; it comes back by itself.
      await page?.reload();
      await page?.getByRole('alert').getByText('The database does not answer').waitFor();
      const refused = await app.backend.call('GET', '/v6/app');
      await thaw();
      expect(refused).toMatchObject({
        status: 503,
        body: {
          error: expect.stringMatching(/^The database does not answer, since \d.*; nothing was read/),
        },
      });
    };
    expect(await outage('Postgres frozen', { begin, end, code: 'database_away' })).toBe(
      'The database does not answer.',
    );
    await page?.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page?.getByRole('alert').count()).toBe(page && 0);
    const codes = new Set<string>();
    await vi.waitFor(
      async () => {
        for (const { code } of await listed()) codes.add(code);
        expect(await app.backend.call('GET', '/v6/app')).toMatchObject({ status: 200 });
        const vips = [{ name: 'tags', criteria: ['vip'] }];
        expect(await app.backend.deliver(vips)).toMatchObject({ state: 'sent' });
      },
      { ...PATIENCE, interval: POLL_MS },
    );
    expect([...codes]).not.toContain('no_worker');
  });

  test.each([
    {
      does: 'answers only errors',
      fault: { kind: 'answer', status: 503, reason: 'UNAVAILABLE', gateway: 'fcm' },
      code: 'gateway_errors',
      says: /^Google answers every push with an error \(UNAVAILABLE\)\.$/,
    },
    {
      does: 'answers nothing',
      fault: { kind: 'stall', what: 'stream', gateway: 'fcm' },
      code: 'gateway_silent',
      says: /^Google takes pushes and answers none of them\.$/,
    },
    {
      does: 'refuses a key',
      fault: {
        kind: 'answer',
        status: 403,
        reason: 'InvalidProviderToken',
        gateway: 'apns',
        environment: 'production',
      },
      code: 'route_paused',
      says: /^Sending to Apple is paused: credentials that worked before are refused/,
    },
    {
      does: 'has no quota left',
      fault: {
        kind: 'answer',
        status: 429,
        reason: 'QUOTA_EXCEEDED',
        headers: { 'retry-after': '1' },
        gateway: 'fcm',
      },
      code: 'quota_used_up',
      says: /^The quota of Google for this project is used up/,
    },
  ] as const)(
    'a gateway that $does is named, until it accepts a push again',
    async ({ does, fault, code, says }) => {
      await app.backend.deliver('*');
      const what = await outage(`a gateway that ${does}`, {
        begin: async () => {
          cluster.simulator.orderFault(fault);
          await app.backend.notify('*');
        },
        end: async () => {
          cluster.simulator.clearFaults();
          if (code === 'route_paused') await app.backend.call('POST', '/v6/routes/apns_production/resume');
          else await app.backend.notify('*');
        },
        code,
        path: status,
      });
      expect(what).toMatch(says);
    },
  );

  test('a full disk is named, until there is room', async () => {
    let makeRoom = nothing;
    const what = await outage('disk full', {
      begin: async () => {
        makeRoom = await fillDisk(postgres.db);
        await app.backend.notify('*');
      },
      end: async () => makeRoom(),
      code: 'disk_full',
    });
    expect(what).toBe('The disk of the database is full.');
  });

  test('a webhook that refuses is named, until it accepts an event', async () => {
    let code = 500;
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(code).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const port = portOf(receiver);
    const webhook = { url: `http://127.0.0.1:${port}/`, events: ['notification.sent'] };
    expect(await app.backend.call('POST', '/v6/webhooks', { webhook })).toMatchObject({ status: 201 });
    const cause = async (): Promise<void> => {
      await app.backend.deliver([{ name: 'tags', criteria: ['vip'] }]);
    };
    const what = await outage('webhook refusing', {
      begin: cause,
      end: async () => {
        code = 204;
        await cause();
      },
      code: 'webhook_failing',
      path: status,
    });
    expect(what).toBe(`The webhook at 127.0.0.1:${port} does not accept its events: status 500.`);
    receiver.close();
  });

  test('a worker that was killed is missed, until another one runs', async () => {
    await outage('no worker', {
      begin: () => worker.signal('SIGKILL'),
      end: async () => workerStarted(cluster.startWorker()),
      code: 'no_worker',
    });
  });
});

const nothing = async (): Promise<void> => undefined;

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

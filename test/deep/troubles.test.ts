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
import { createSession } from '../../src/console/accounts/session-store.ts';
import { insertUser } from '../console/browser.ts';
import { fillDisk } from '../support/full-disk.ts';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { portOf } from '../support/ports.ts';
import { PATIENCE } from '../support/patience.ts';
import type { RunningProcess } from '../support/processes.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { type ClusterApp, useCluster, workerStarted } from '../processes/cluster.ts';
import { executablePath, openBrowser } from './console/support/browser.ts';

const listSchema = z.object({
  troubles: z.array(z.object({ code: z.string(), what: z.string(), route: z.string().nullish() })),
});
type Listed = z.infer<typeof listSchema>['troubles'][number];

const timeout = 90_000;
const DEVICES = 60;
/** Not less than the pause between two looks of a process. */
const POLL_MS = 50;

describeWithOwnRedis('the list of troubles', (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const seconds: Record<string, { named: string; gone: string; shown: string; hidden: string }> = {};
  let browser: Browser | undefined;
  /** An admin's overview, if there is a browser. */
  let page: Page | undefined;
  let app: ClusterApp;
  let worker: RunningProcess;

  beforeAll(async () => {
    if (executablePath !== undefined) browser = await openBrowser();
  });
  afterAll(async () => browser?.close());

  async function openOverview(by: Browser): Promise<Page> {
    await page?.context().close();
    const roles = { [app.app.id]: 'admin' } as const;
    const userId = await insertUser(cluster.db, systemClock, { name: `admin of ${app.app.id}`, roles });
    const { secret } = await createSession(cluster.db, { userId, userAgent: undefined }, systemClock);
    const context = await by.newContext();
    await context.addCookies([{ name: 'carillon', value: secret, url: cluster.url, sameSite: 'Strict' }]);
    const opened = await context.newPage();
    opened.setDefaultTimeout(PATIENCE.timeout);
    await opened.goto(`${cluster.url}/console/apps/${app.app.bundleId}/overview`);
    await opened.getByText('Ready', { exact: true }).waitFor();
    return opened;
  }

  beforeEach(async () => {
    app = await cluster.makeApp(DEVICES);
    const now = new Date();
    worker = await workerStarted(cluster.startWorker());
    await untilPulse(now);
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

  /** Resolves when the worker has written its row: those of earlier tests may still be new enough. */
  async function untilPulse(since: Date): Promise<void> {
    await vi.waitFor(async () => {
      const rows = postgres.db.selectFrom('worker_pulses').select('id').where('seen_at', '>', since);
      expect((await rows.execute()).length).toBeGreaterThan(1);
    }, PATIENCE);
  }

  const status = '/v6/status';

  test('a dead Redis is named, and that pushes go on', { timeout }, async () => {
    const what = await outage('Redis killed', {
      begin: async () => redis.kill(),
      end: async () => redis.restart(),
      code: 'queue_away',
    });
    expect(what).toBe('Redis is away.');
  });

  test(
    'a frozen Postgres is named, reads say so at once, and no worker is called dead afterwards',
    { timeout },
    async () => {
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
          const { id } = await app.backend.notify([{ name: 'tags', criteria: ['vip'] }]);
          expect(await app.backend.untilEnded(id, 20_000)).toMatchObject({ state: 'sent' });
        },
        { ...PATIENCE, interval: POLL_MS },
      );
      expect([...codes]).not.toContain('no_worker');
    },
  );

  test('a worker that was killed is missed, until another one runs', { timeout }, async () => {
    await outage('no worker', {
      begin: () => worker.signal('SIGKILL'),
      end: async () => workerStarted(cluster.startWorker()),
      code: 'no_worker',
    });
  });

  test('a gateway that answers only errors is named, until it accepts a push', { timeout }, async () => {
    const what = await outage('gateway 503', {
      begin: async () => {
        cluster.simulator.orderFault({ kind: 'answer', status: 503, reason: 'UNAVAILABLE', gateway: 'fcm' });
        await app.backend.notify('*');
      },
      end: async () => {
        cluster.simulator.clearFaults();
        await app.backend.notify('*');
      },
      code: 'gateway_errors',
      path: status,
    });
    expect(what).toBe('Google answers every push with an error (UNAVAILABLE).');
  });

  test('a gateway that answers nothing is named, until it answers a push', { timeout }, async () => {
    const what = await outage('gateway silent', {
      begin: async () => {
        cluster.simulator.orderFault({ kind: 'stall', what: 'stream', gateway: 'fcm' });
        await app.backend.notify('*');
      },
      end: async () => {
        cluster.simulator.clearFaults();
        await app.backend.notify('*');
      },
      code: 'gateway_silent',
      path: status,
    });
    expect(what).toBe('Google takes pushes and answers none of them.');
  });

  test('a key that is refused is named, until the route is resumed', { timeout }, async () => {
    const first = await app.backend.notify('*');
    await app.backend.untilEnded(first.id, 30_000);
    const what = await outage('key refused', {
      begin: async () => {
        cluster.simulator.orderFault({
          kind: 'answer',
          status: 403,
          reason: 'InvalidProviderToken',
          gateway: 'apns',
          environment: 'production',
        });
        await app.backend.notify('*');
      },
      end: async () => {
        cluster.simulator.clearFaults();
        await app.backend.call('POST', '/v6/routes/apns_production/resume');
      },
      code: 'route_paused',
      path: status,
    });
    expect(what).toMatch(/^Sending to Apple is paused: credentials that worked before are refused/);
  });

  test('a quota that is used up is named, until a push is accepted', { timeout }, async () => {
    await outage('quota used up', {
      begin: async () => {
        const headers = { 'retry-after': '1' };
        const reason = 'QUOTA_EXCEEDED';
        cluster.simulator.orderFault({ kind: 'answer', status: 429, reason, headers, gateway: 'fcm' });
        await app.backend.notify('*');
      },
      end: () => cluster.simulator.clearFaults(),
      code: 'quota_used_up',
      path: status,
    });
  });

  test('a full disk is named, until there is room', { timeout }, async () => {
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

  test('a webhook that refuses is named, until it accepts an event', { timeout }, async () => {
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
      const { id } = await app.backend.notify([{ name: 'tags', criteria: ['vip'] }]);
      await app.backend.untilEnded(id, 30_000);
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
});

const nothing = async (): Promise<void> => undefined;

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

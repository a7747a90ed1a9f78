/** Signing in through an OpenID provider in a real browser, which decides itself which cookies it sends on the way back. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { buildServer } from '../../../src/http/server.ts';
import { observeNothing } from '../../../src/observe.ts';
import { CLIENT, startOpenIdProvider, type TestProvider } from '../../console/openid-provider.ts';
import { useApi } from '../../http/api.ts';
import { portOf } from '../../support/ports.ts';
import { testSecret } from '../../support/secret.ts';
import { executablePath, openBrowser, openContext, openPage, type WatchedPage } from './support/browser.ts';

describe.skipIf(executablePath === undefined)('a user of an OpenID provider', () => {
  const api = useApi();
  let origin: string;
  let provider: TestProvider;
  let server: FastifyInstance;
  let browser: Browser;

  beforeAll(async () => {
    // Held until the server takes it: connections of other tests begin at free ports too.
    const held = createServer().listen(0, '127.0.0.1');
    await once(held, 'listening');
    const port = portOf(held);
    // Another site than the provider's 127.0.0.1, as in real life.
    origin = `http://localhost:${port}`;
    const consoleUrl = `${origin}/console`;
    provider = await startOpenIdProvider(consoleUrl);
    server = buildServer({
      db: api.db,
      queue: api.queue,
      clock: systemClock,
      secret: testSecret,
      observe: observeNothing,
      oidc: {
        issuer: provider.issuer,
        clientId: CLIENT.id,
        clientSecret: CLIENT.secret,
        scope: 'openid profile email',
        groupsClaim: 'groups',
        roles: { 'push team': { [api.app.bundleId]: 'sender' } },
        consoleUrl,
      },
    });
    held.close();
    await once(held, 'close');
    await server.listen({ host: '127.0.0.1', port });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.server.closeAllConnections();
    await server.close();
    await provider.close();
  });

  /** A new browser at the sign-in of a screen, about to go to the provider. */
  async function atSignIn(screen: string): Promise<WatchedPage> {
    const watched = await openPage(await openContext(browser), origin);
    await watched.page.goto(`${origin}/console/apps/${api.app.bundleId}/${screen}`);
    await watched.page.getByRole('link', { name: /^Sign in with 127\.0\.0\.1/ }).waitFor();
    return watched;
  }

  test('a user goes to the provider and back by keyboard alone, with the right role, to the page that was asked for', async () => {
    provider.people.set('p1', { email: 'ann@example.com', email_verified: true, groups: ['push team'] });
    provider.person = 'p1';
    const { page, complaints } = await atSignIn('notifications?state=sent');
    await page.getByRole('link', { name: /^Sign in with/ }).press('Enter');
    await page.getByLabel('User: ann@example.com').waitFor();
    expect(page.url()).toBe(`${origin}/console/apps/${api.app.bundleId}/notifications?state=sent`);
    await page.getByLabel(/^App: /).press('Enter');
    await page.getByText(`${api.app.bundleId} · sender`).waitFor();
    await page.goto(`${origin}/console/account`);
    await page.getByText('Sessions end after 12 hours').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a user who has no role is sent back to the sign-in, which says why', async () => {
    provider.people.set('p2', { email: 'bob@example.com', email_verified: true, groups: ['strangers'] });
    provider.person = 'p2';
    const { page, expectAccessible } = await atSignIn('notifications');
    await page.getByRole('link', { name: /^Sign in with/ }).click();
    await page.getByRole('alert').getByText('none of your groups has a role here').waitFor();
    await expectAccessible();
    await page.goto(`${origin}/console`);
    await page.getByLabel('Password').waitFor();
  });
});

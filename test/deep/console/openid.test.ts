/** Signing in through an OpenID provider in a real browser, which decides itself which cookies it sends on the way back. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { buildServer } from '../../../src/http/server.ts';
import { observeNothing } from '../../../src/observe.ts';
import { CLIENT, startOpenIdProvider } from '../../console/openid-provider.ts';
import { useApi } from '../../http/api.ts';
import { testSecret } from '../../support/secret.ts';
import type { WatchedPage } from './support/browser.ts';
import { describeInBrowser, usePages } from './support/console.ts';

describeInBrowser('a user of an OpenID provider', () => {
  const api = useApi();
  // Another site than the provider's 127.0.0.1, as in real life.
  const pages = usePages(async (closing, origin) => {
    const consoleUrl = `${origin}/console`;
    const provider = closing.keep(await startOpenIdProvider(consoleUrl));
    const { db, queue, app } = api;
    const oidc = {
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      scope: 'openid profile email',
      groupsClaim: 'groups',
      roles: { 'push team': { [app.bundleId]: 'sender' } },
      consoleUrl,
    } as const;
    const options = { db, queue, clock: systemClock, secret: testSecret, observe: observeNothing, oidc };
    return { db, app, provider, server: buildServer(options) };
  }, 'localhost');

  /** The provider is the only other server that the browser has asked. */
  function expectNoOther({ foreign }: WatchedPage): void {
    for (const url of foreign.splice(0)) expect(url.startsWith(pages.provider.issuer), url).toBe(true);
  }

  /** A new browser at the sign-in of a screen, about to go to the provider as that person. */
  async function atSignIn(screen: string, person: string): Promise<WatchedPage> {
    pages.provider.person = person;
    const watched = await pages.visit();
    await watched.page.goto(pages.addressOf(screen));
    await watched.page.getByRole('link', { name: /^Sign in with 127\.0\.0\.1/ }).waitFor();
    return watched;
  }

  test('a user goes to the provider and back by keyboard alone, with the right role, to the page that was asked for', async () => {
    pages.provider.people.set('p1', {
      email: 'ann@example.com',
      email_verified: true,
      groups: ['push team'],
    });
    const watched = await atSignIn('notifications?state=sent', 'p1');
    const { page } = watched;
    await page.getByRole('link', { name: /^Sign in with/ }).press('Enter');
    await page.getByLabel('User: ann@example.com').waitFor();
    expect(page.url()).toBe(pages.addressOf('notifications?state=sent'));
    await page.getByLabel(/^App: /).press('Enter');
    await page.getByText(`${api.app.bundleId} · sender`).waitFor();
    await page.goto(`${pages.origin}/console/account`);
    await page.getByText('Sessions end after 12 hours').waitFor();
    expectNoOther(watched);
  });

  test('a user who has no role is sent back to the sign-in, which says why', async () => {
    pages.provider.people.set('p2', {
      email: 'bob@example.com',
      email_verified: true,
      groups: ['strangers'],
    });
    const watched = await atSignIn('notifications', 'p2');
    const { page, expectAccessible } = watched;
    await page.getByRole('link', { name: /^Sign in with/ }).click();
    await page.getByRole('alert').getByText('none of your groups has a role here').waitFor();
    await expectAccessible();
    await page.goto(`${pages.origin}/console`);
    await page.getByLabel('Password').waitFor();
    expectNoOther(watched);
  });
});

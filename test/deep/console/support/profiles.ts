/**
 * Browser profiles that tests use in turn. Each is empty when a test takes it, except for its cache: a new profile loads every
 * module of the console again, which takes a browser longer than most tests.
 */
import type { Browser, BrowserContext } from 'playwright-core';
import { type Look, openContext } from './browser.ts';

export interface Profiles {
  /** A profile with that look that no one uses; nobody has signed in. */
  take(look?: Look): Promise<BrowserContext>;
  /** Closes all pages, and empties and keeps the profiles that were taken. */
  takeBack(): Promise<void>;
}

/** @param origin of the console, whose stored data are removed */
export function openProfiles(browser: Browser, origin: string): Profiles {
  const free = new Map<string, BrowserContext[]>();
  const taken = new Map<BrowserContext, string>();

  const empty = async (context: BrowserContext): Promise<void> => {
    const used = context.pages();
    const page = await context.newPage();
    // An open page could store something again.
    await Promise.all(used.map(async (open) => open.close()));
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
    await context.clearCookies();
    await page.close();
  };
  return {
    take: async (look = {}) => {
      const key = [look.colorScheme, look.width, look.timezoneId].join();
      const context = free.get(key)?.pop() ?? (await openContext(browser, look));
      taken.set(context, key);
      return context;
    },
    takeBack: async () => {
      for (const [context, key] of taken) {
        await empty(context);
        free.set(key, [...(free.get(key) ?? []), context]);
      }
      taken.clear();
    },
  };
}

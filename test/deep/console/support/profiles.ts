/**
 * Browser profiles that the tests of a worker use in turn, in one Chromium. Each is empty when a test takes it, except for its cache: a
 * new profile loads every module of the console again.
 */
import type { Browser, BrowserContext } from 'playwright-core';
import { vi } from 'vitest';
import { PATIENCE } from '../../../support/patience.ts';
import { closedPort } from '../../../support/ports.ts';
import { keepPage, type Look, openBrowser, openContext, watchPage, type WatchedPage } from './browser.ts';

export interface Profiles {
  /** A page with that look in a profile that no one uses; nobody has signed in. */
  open(look?: Look): Promise<WatchedPage>;
  /** Leaves all pages, and empties and keeps the profiles that were taken. @throws if a page was not clean in the end */
  takeBack(): Promise<void>;
}

/** Of all test files that this worker runs. Playwright closes the browser when the worker ends. */
interface Shared {
  browser: Browser;
  /** The console is always there, so that what a browser has cached is used again. */
  port: number;
  /** By time zone. */
  free: Map<string | undefined, BrowserContext[]>;
}

let shared: Promise<Shared> | undefined;

async function openShared(): Promise<Shared> {
  return { browser: await openBrowser(), port: await closedPort(), free: new Map() };
}

/** @returns the port at which the console has to listen */
export async function consolePort(): Promise<number> {
  shared ??= openShared();
  return (await shared).port;
}

/** @param origin of the console, whose stored data are removed */
export async function openProfiles(origin: string): Promise<Profiles> {
  shared ??= openShared();
  const { browser, free } = await shared;
  const taken = new Map<WatchedPage, string | undefined>();
  return {
    open: async (look = {}) => {
      const { timezoneId } = look;
      const context = free.get(timezoneId)?.pop() ?? (await openContext(browser, timezoneId));
      const watched = await watchPage(context, look.origin ?? origin, look);
      taken.set(watched, timezoneId);
      return watched;
    },
    takeBack: async () => {
      // A page may just be loading another one.
      const checks = await Promise.allSettled(
        [...taken.keys()].map(async (one) => vi.waitFor(one.expectClean, PATIENCE)),
      );
      for (const [{ page }, timezoneId] of taken) {
        const context = page.context();
        await keepPage(context, origin);
        free.set(timezoneId, [...(free.get(timezoneId) ?? []), context]);
      }
      taken.clear();
      for (const check of checks) if (check.status === 'rejected') throw check.reason;
    },
  };
}

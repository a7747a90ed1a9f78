/** Counts for the audience calls: limited in number, and cached for stored audiences. */
import { type Audience, readAudience } from '../../../audiences/audience-store.ts';
import type { CountedAudience } from '../../../audiences/count-cache.ts';
import { ApiError } from '../../../api/errors.ts';
import { dependsOnNow } from '../../../filters/depends-on-now.ts';
import type { Filter } from '../../../filters/filter.ts';
import { stringifyJson } from '../../../json/lossless.ts';
import { filtersOf, type Target } from '../../../notifications/target.ts';
import { countDevices, type CountRequest } from '../../../targeting/count-devices.ts';
import type { CallDeps } from '../../call-deps.ts';
import { audienceJson } from './reply.ts';

/** @throws {ApiError} `not_found` */
export async function requireAudience({ db, clock }: CallDeps, appId: string, id: string): Promise<Audience> {
  const stored = await readAudience(db, appId, id, clock);
  if (stored === undefined) throw new ApiError('not_found', { message: 'There is no such audience.' });
  return stored;
}

/** @throws {ApiError} `not_found` if the target is an audience that the app does not have */
export async function filtersOfTarget(
  deps: CallDeps,
  appId: string,
  target: Target,
): Promise<readonly Filter[]> {
  if (target.kind !== 'stored') return filtersOf(target);
  return (await requireAudience(deps, appId, target.audienceId.toLowerCase())).filters;
}

/** @throws {ApiError} `unavailable` if it takes too long, too much is being counted, or the signal aborts */
export async function count(
  { db, clock, countLimiter }: CallDeps,
  appId: string,
  selecting: readonly Filter[],
  options: Pick<CountRequest, 'inBackground' | 'signal'>,
): Promise<Pick<CountedAudience, 'count' | 'countMs'>> {
  return countLimiter.run(async () => {
    const beganMs = performance.now();
    const devices = await countDevices(db, { appId, filters: selecting, now: clock(), ...options });
    return { count: devices, countMs: performance.now() - beganMs };
  }, options.signal);
}

export async function countedAudience(deps: CallDeps, appId: string, id: string): Promise<CountedAudience> {
  return deps.countCache.get(cacheKey(appId, id), async (inBackground) => {
    const stored = await requireAudience(deps, appId, id);
    const counted = await count(deps, appId, stored.filters, { inBackground });
    const body = stringifyJson({ audience: audienceJson(stored, counted.count) });
    return { ...counted, body, isTimeless: !dependsOnNow(stored.filters) };
  });
}

export function cacheKey(appId: string, id: string): string {
  return `${appId} ${id}`;
}

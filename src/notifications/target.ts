/** Whom a notification is for: everyone, a stored audience, or the devices that a list of filters selects. */
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { readAudience } from '../audiences/audience-store.ts';
import type { Filter } from '../audiences/filter.ts';
import { parseFilters } from '../audiences/filter-schema.ts';
import { everyoneAudience, findOrCreateAudience } from '../audiences/find-or-create.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { faultsOf, isJsonObject, type Parsed } from '../parse.ts';

export type Target =
  | { kind: 'everyone' }
  | { kind: 'stored'; audienceId: string }
  | { kind: 'on_the_fly'; filters: readonly Filter[] };

export const storedTarget = z.strictObject({ audience: z.string('must be the id of an audience, a string') });

/** Judges `to`: `"*"`, `"<audience id>"`, `{"audience": "<audience id>"}` or a list of filters. */
export function parseTarget(value: unknown, path: string): Parsed<Target> {
  if (value === '*') return { value: { kind: 'everyone' } };
  if (typeof value === 'string') return { value: { kind: 'stored', audienceId: value } };
  if (Array.isArray(value)) {
    const parsed = parseFilters(value, path);
    if (!parsed.ok) return { faults: [...parsed.faults] };
    return { value: { kind: 'on_the_fly', filters: parsed.filters } };
  }
  if (isJsonObject(value)) {
    const parsed = storedTarget.safeParse(value);
    if (!parsed.success) return { faults: faultsOf(parsed.error, path) };
    return { value: { kind: 'stored', audienceId: parsed.data.audience } };
  }
  const message = value === undefined ? 'is required' : 'must be "*", an audience id or a list of filters';
  return { faults: [{ path, message }] };
}

/**
 * @returns the id of the target's audience, which is made here where it is the first with its filters
 * @throws {ApiError} `not_found` where the app has no audience of the given id
 */
export async function findTargetAudience(
  transaction: Transaction<Database>,
  appId: string,
  target: Target,
  clock: Clock,
): Promise<string> {
  if (target.kind === 'everyone') return (await everyoneAudience(transaction, appId, clock)).id;
  if (target.kind === 'on_the_fly') {
    return (await findOrCreateAudience(transaction, { appId, filters: target.filters, clock })).id;
  }
  const audience = await readAudience(transaction, appId, target.audienceId);
  if (audience !== undefined) return audience.id;
  throw new ApiError('not_found', { message: 'notification.to: the app has no audience of that id.' });
}

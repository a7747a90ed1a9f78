/**
 * The target of a notification: all devices, a stored audience, the devices that a list of filters selects, or, in a short
 * form, one device or the devices of one user. The short forms mean the filters of the same name, but no audience is stored
 * for them: the notification's own row has the filter.
 */
import { z } from 'zod';
import { filtersOfAudience } from '../audiences/audience-store.ts';
import { ApiError } from '../api/errors.ts';
import type { Filter } from '../filters/filter.ts';
import { parseFilters } from '../filters/filter-schema.ts';
import { faultsOf, isJsonObject, judge, type Parsed } from '../api/parse.ts';

export interface ShortTarget {
  kind: 'device_id' | 'user_id';
  id: string;
}

export type Target =
  | { kind: 'everyone' }
  | { kind: 'stored'; audienceId: string }
  | { kind: 'on_the_fly'; filters: readonly Filter[] }
  | ShortTarget;

export const storedTarget = z
  .strictObject({ audience: z.string('must be the id of an audience, a string') })
  .meta({ id: 'StoredTarget' });
export const deviceTarget = z
  .strictObject({ device_id: z.string('must be the id of a device, a string') })
  .describe('One device; no audience is stored.')
  .meta({ id: 'DeviceTarget' });
export const userTarget = z
  .strictObject({ user_id: z.string('must be the id of a user, a string') })
  .describe('The devices of one user; no audience is stored.')
  .meta({ id: 'UserTarget' });

const FORMS = 'must be "*", an audience id, {"device_id": "…"}, {"user_id": "…"} or a list of filters';

/**
 * Checks `to`: `"*"`, `"<audience id>"`, `{"audience": "<audience id>"}`, `{"device_id": "<id>"}`, `{"user_id": "<id>"}` or a
 * list of filters.
 */
export function parseTarget(value: unknown, path: string): Parsed<Target> {
  if (value === '*') return { value: { kind: 'everyone' } };
  if (typeof value === 'string') return { value: { kind: 'stored', audienceId: value } };
  if (Array.isArray(value)) {
    const parsed = parseFilters(value, path);
    if (!parsed.ok) return { faults: [...parsed.faults] };
    return { value: { kind: 'on_the_fly', filters: parsed.filters } };
  }
  if (isJsonObject(value)) return parseObject(value, path);
  return { faults: [{ path, message: value === undefined ? 'is required' : FORMS }] };
}

function parseObject(value: Record<string, unknown>, path: string): Parsed<Target> {
  const short = shortTargetOf(value);
  if (short !== undefined && Object.keys(value).length === 1) return { value: short };
  const named = ['audience', 'device_id', 'user_id'].filter((key) => Object.hasOwn(value, key));
  if (named.length !== 1) {
    return {
      faults: [{ path, message: 'must have exactly one of the keys audience, device_id and user_id' }],
    };
  }
  if (named[0] === 'audience') {
    const parsed = judge(storedTarget, value);
    if (parsed.success) return { value: { kind: 'stored', audienceId: parsed.data.audience } };
    return { faults: faultsOf(parsed.error, path) };
  }
  const parsed = judge(named[0] === 'device_id' ? deviceTarget : userTarget, value);
  return { faults: parsed.success ? [] : faultsOf(parsed.error, path) };
}

/** @returns the short target in a checked `to`; undefined if `to` has another form */
export function shortTargetOf(to: unknown): ShortTarget | undefined {
  if (!isJsonObject(to)) return undefined;
  const { device_id: deviceId, user_id: userId } = to;
  if (typeof deviceId === 'string') return { kind: 'device_id', id: deviceId };
  if (typeof userId === 'string') return { kind: 'user_id', id: userId };
  return undefined;
}

/** @returns the JSON of its only filter, in the form in which audiences are stored (`filters/canonical.ts`) */
export function filtersJson({ kind, id }: ShortTarget): string {
  return `[{"name":"${kind}","criteria":[${JSON.stringify(id)}],"not_filter":false}]`;
}

/** @returns the filters that select its devices; none for everyone */
export function filtersOf(target: Exclude<Target, { kind: 'stored' }>): readonly Filter[] {
  switch (target.kind) {
    case 'everyone':
      return [];
    case 'on_the_fly':
      return target.filters;
    case 'device_id':
    case 'user_id':
      return filtersOfAudience(JSON.parse(filtersJson(target)));
  }
}

export function noSuchAudience(): ApiError {
  return new ApiError('not_found', {
    message: 'The app has no audience with the id in notification.to; "*" stands for all devices.',
  });
}

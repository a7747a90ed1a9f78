/** The target of a notification: its kinds, and the call that counts its devices. */
import { areComplete, readFilters } from '../../../filter-builder/filters-text.ts';
import { isObject } from '../../../filter-builder/language.ts';
import type { ApiCall } from '../../../frame/api.ts';

export type Target =
  | { kind: 'none' | 'everyone' }
  | { kind: 'audience' | 'device' | 'user'; id: string }
  | { kind: 'filters'; filters: readonly unknown[] }
  /** Only its JSON can be edited. */
  | { kind: 'other' };

/** What a reader can choose, and the value of `to` with which it begins. */
export const TARGETS = [
  { kind: 'everyone', label: 'Everyone', hint: 'All devices of the app', to: '*' },
  { kind: 'audience', label: 'An audience', hint: 'One that is stored', to: { audience: '' } },
  { kind: 'filters', label: 'Filters', hint: 'Chosen for this one', to: [] },
  { kind: 'device', label: 'One device', hint: 'By its id', to: { device_id: '' } },
  { kind: 'user', label: 'One user', hint: 'All devices of theirs', to: { user_id: '' } },
] as const;

export const DEVELOPMENT = [{ name: 'development', criteria: [true] }];

export function targetOf(to: unknown): Target {
  if (to === undefined) return { kind: 'none' };
  if (to === '*') return { kind: 'everyone' };
  if (typeof to === 'string') return { kind: 'audience', id: to };
  if (Array.isArray(to)) return { kind: 'filters', filters: to };
  if (isObject(to) && Object.keys(to).length === 1) {
    const { audience, device_id: device, user_id: user } = to;
    if (typeof audience === 'string') return { kind: 'audience', id: audience };
    if (typeof device === 'string') return { kind: 'device', id: device };
    if (typeof user === 'string') return { kind: 'user', id: user };
  }
  return { kind: 'other' };
}

/** Whether it may be for many devices, so that a limit of recipients makes sense. */
export function isForMany(to: unknown): boolean {
  return ['everyone', 'audience', 'filters'].includes(targetOf(to).kind);
}

/** @returns undefined while the target is incomplete */
export function countCall(to: unknown): ApiCall | undefined {
  const target = targetOf(to);
  const isComplete =
    target.kind === 'everyone' ||
    (target.kind === 'filters' && areWritten(target.filters)) ||
    ('id' in target && target.id !== '');
  return isComplete ? { method: 'POST', path: '/v6/notifications/count', body: { to } } : undefined;
}

/** Filters in a form that the builder does not know are left to the API. */
function areWritten(filters: readonly unknown[]): boolean {
  const read = readFilters(JSON.stringify(filters));
  return read.filters === undefined ? filters.length > 0 : areComplete(read.filters);
}

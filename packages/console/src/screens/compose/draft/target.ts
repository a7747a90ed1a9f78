/** The target of a notification: its kinds, and the call that counts its devices. */
import { areComplete, readFilters } from '../../../filter-builder/filters-text.ts';
import { isObject } from '../../../filter-builder/language.ts';
import type { ApiCall } from '../../../frame/api.ts';

export type Target =
  | { kind: 'none' }
  | { kind: 'everyone' }
  | { kind: 'audience'; id: string }
  | { kind: 'filters'; filters: readonly unknown[] }
  | { kind: 'device'; id: string }
  | { kind: 'user'; id: string }
  /** Only its JSON can be edited. */
  | { kind: 'other' };

export type TargetKind = Target['kind'];

export const TARGET_WORDS: Readonly<Record<TargetKind, string>> = {
  none: 'Nobody yet',
  everyone: 'Everyone',
  audience: 'An audience',
  filters: 'Filters',
  device: 'One device',
  user: 'One user',
  other: 'As JSON',
};

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

/** @returns the value of `to` when the reader chooses the kind */
export function emptyTarget(kind: TargetKind): unknown {
  switch (kind) {
    case 'everyone':
      return '*';
    case 'audience':
      return { audience: '' };
    case 'filters':
      return [];
    case 'device':
      return { device_id: '' };
    case 'user':
      return { user_id: '' };
    case 'none':
    case 'other':
      return undefined;
  }
}

/** Whether it may be for many devices, so that a limit of recipients makes sense. */
export function isForMany({ kind }: Target): boolean {
  return kind === 'everyone' || kind === 'audience' || kind === 'filters';
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

/** Whether the filters select the devices that are flagged as development, and nothing else is asked of them. */
export function isForDevelopment(target: Target): boolean {
  return target.kind === 'filters' && JSON.stringify(target.filters) === JSON.stringify(DEVELOPMENT);
}

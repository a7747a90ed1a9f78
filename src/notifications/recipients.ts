/**
 * Whom a notification is addressed to, as its target names them. By these texts the pushes of a device or a user are found
 * (`notifications_by_recipient`, docs/decisions/0049).
 */
import type { Filter } from '../filters/filter.ts';
import { isUuid } from '../uuid.ts';
import { filtersOf, type Target } from './target.ts';

/** More of them would make an entry each. */
const NAMED_MAX = 100;

/** A notification that names no devices or users, or too many: all devices look for theirs among these. */
export const TO_MANY = 'many';

export function deviceRecipient(deviceId: string): string {
  return `device ${deviceId.toLowerCase()}`;
}

export function userRecipient(userId: string): string {
  return `user ${userId}`;
}

export function emailRecipient(email: string): string {
  return `email ${email}`;
}

/** @returns at least one, without duplicates */
export function recipientsOf(target: Target): readonly string[] {
  switch (target.kind) {
    case 'device_id':
      return [isUuid(target.id) ? deviceRecipient(target.id) : TO_MANY];
    case 'user_id':
      return [userRecipient(target.id)];
    case 'everyone':
    case 'stored':
      return [TO_MANY];
    case 'on_the_fly':
      return recipientsOfFilters(filtersOf(target));
  }
}

/** @returns at least one, without duplicates */
export function recipientsOfFilters(filters: readonly Filter[]): readonly string[] {
  const named = [...new Set(filters.flatMap(namedBy))];
  return named.length === 0 || named.length > NAMED_MAX ? [TO_MANY] : named;
}

function namedBy(filter: Filter): string[] {
  if (filter.not) return [];
  if (filter.kind === 'device_id') return filter.criteria.filter(isUuid).map(deviceRecipient);
  if (filter.kind !== 'text') return [];
  if (filter.column === 'user_id') return filter.criteria.map(userRecipient);
  return filter.column === 'user_email' ? filter.criteria.map(emailRecipient) : [];
}

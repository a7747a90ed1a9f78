/** The roles of a user in an app, and what each may do. */
import type { Scope } from '../../apps/scopes.ts';

export const ROLES = ['viewer', 'sender', 'admin'] as const;

export type Role = (typeof ROLES)[number];

const scopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  sender: ['read', 'write'],
  admin: ['read', 'write', 'register', 'admin'],
};

/** The permissions of a user with each role, like those of an API key. */
export function scopesOf(role: Role): readonly Scope[] {
  return scopes[role];
}

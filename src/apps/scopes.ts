/** The permissions of a key. */
export const SCOPES = ['read', 'write', 'register', 'admin'] as const;

/** Permission of a key. No scope includes another: `admin` does not include `read`. */
export type Scope = (typeof SCOPES)[number];

/**
 * @param text scopes joined by commas, e.g. `read,write`
 * @throws {Error} if a scope is unknown or none is given
 */
export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every(isScope)) throw new Error(`scopes are any of ${SCOPES.join(', ')}, joined by commas`);
  return SCOPES.filter((scope) => names.includes(scope));
}

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

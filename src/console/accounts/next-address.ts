/**
 * Where the return from an OpenID provider leads. After a password no server redirects: the page's router shows only what the browser
 * itself reads as an address of the console.
 */

/** Relative to `/console/`. Neither a scheme nor a host can be in it, however a browser reads it. */
const WITHIN = /^[a-z](?!.*\/\/)[^:\\\p{Cc}]*$/u;

/** @param next an address within the console, as its router makes them; anything else, and null, is its first page: '' */
export function nextAddress(next: string | null): string {
  return next !== null && WITHIN.test(next) ? next : '';
}

/** What the package exports. */
export { Carillon } from './carillon.ts';
export { ApiError, CarillonError, NoReplyError } from './errors.ts';
export type * from './generated/types.ts';
export { type Page, pages } from './pages.ts';
export { signUserToken, type UserTokenOptions } from './user-token.ts';
export type { CallOptions, KeyedOptions, Settings } from './transport.ts';

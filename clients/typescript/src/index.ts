/** What the package exports. */
export { Carillon, type Settings } from './carillon.ts';
export { ApiError, CarillonError, type ErrorCode, NoReplyError } from './errors.ts';
export { type Page, pages } from './pages.ts';
export type { Schemas } from './schemas.ts';
export type { operations, paths } from './schema.ts';

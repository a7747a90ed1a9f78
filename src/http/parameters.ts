import { ApiError } from '../errors.ts';
import { isUuid } from '../uuid.ts';

/**
 * An id from an address, in lower case.
 * @param what it is the id of, for the sentence
 * @throws {ApiError} `not_found` where it is no UUID: the service gave out no such id
 */
export function idFrom(parameter: string, what: string): string {
  if (!isUuid(parameter)) throw new ApiError('not_found', { message: `There is no such ${what}.` });
  return parameter.toLowerCase();
}

/** The author of the changes that a request makes, for the audit log. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../apps/caller.ts';
import type { Author } from '../audit/author.ts';

export function authorOf({ by }: Pick<Caller, 'by'>, { ip, id }: FastifyRequest): Author {
  return { by, address: ip, requestId: id };
}

/** A user of the console who signs in, or changes their own account. */
export function userAuthor({ id, name }: { id: string; name: string }, request: FastifyRequest): Author {
  return authorOf({ by: { kind: 'user', id, name } }, request);
}

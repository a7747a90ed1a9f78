/**
 * Lets pages of any origin make the calls that a device makes (CORS). It gives them nothing that a program does not have: the key is
 * in the request, and browsers send no cookie along, because credentials are not allowed, nor the header that names the app of a session.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../apps/scopes.ts';

/** Browsers ask again after this time; Chromium after two hours at the latest. */
const PREFLIGHT_SECONDS = 7_200;

/** Whether pages of other origins may make a call that needs one of these: whether a device may. */
export function isForPages(scopes: readonly Scope[]): boolean {
  return scopes.includes('register');
}

/** A hook for `onRequest`, before any that refuses: a page can then read why. */
export function allowPages(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  void reply.header('access-control-allow-origin', '*');
  done();
}

/** Answers what a browser asks before the call of a page. Does nothing if the path has such an answer already. */
export function answerPreflight(server: FastifyInstance, url: string): void {
  if (server.hasRoute({ method: 'OPTIONS', url })) return;
  server.options(url, async (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, POST, PUT, DELETE')
      .header('access-control-allow-headers', 'authorization, content-type')
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .send(),
  );
}

/** `POST /console/apps`: a user of the console adds an app. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { newApp } from '../../apps/apps.ts';
import type { Clock } from '../../clock.ts';
import { addApp, type WhoAddsApps } from '../../console/accounts/add-app.ts';
import { sessionSecretOf } from '../../console/accounts/session-cookie.ts';
import type { Sessions } from '../../console/accounts/sessions.ts';
import type { Database } from '../../db/tables.ts';
import { parseBy } from '../../api/parse.ts';
import { userAuthor } from '../author.ts';
import { requiredBody } from '../body.ts';
import { requireSession } from './second-factor-calls.ts';

const appBody = z.strictObject({ app: newApp });

/** @param scope a scope that refuses other origins */
export function addApps(
  scope: FastifyInstance,
  { db, clock, sessions, who }: { db: Kysely<Database>; clock: Clock; sessions: Sessions; who: WhoAddsApps },
): void {
  scope.post('/console/apps', async (request, reply) => {
    const session = await requireSession(sessions, request);
    const { bundle_id: bundleId, name } = parseBy(appBody, requiredBody(request)).app;
    const author = userAuthor(session.user, request);
    const { app, isNew } = await addApp(db, session, { bundleId, name }, { who, author, clock });
    // The next call of this browser finds the app among its own; other processes do within two seconds.
    sessions.forget(sessionSecretOf(request) ?? '');
    return reply.code(isNew ? 201 : 200).send({ app });
  });
}

/** Apps that users of the console add (docs/decisions/0053). */
import type { Kysely } from 'kysely';
import { createUntakenApp, findApp, hasApps } from '../../apps/apps.ts';
import type { Author } from '../../audit/author.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import type { Session } from './session-store.ts';
import { readRole, setRole } from './users.ts';

/** The setting `CONSOLE_ADD_APPS`. */
export type WhoAddsApps = 'admins' | 'nobody';

/** An admin of any app may add one, and the first one anybody who has signed in. @returns why this user may not */
export async function whyNoApp(
  db: Kysely<Database>,
  { apps, signsIn, secondFactor }: Session,
  who: WhoAddsApps,
): Promise<string | undefined> {
  if (who === 'nobody') {
    return 'On this server, apps are added on the command line alone: ask its operator.';
  }
  if (signsIn === 'openid') {
    return 'Your roles follow your groups at the sign-in service, so the operator of this server adds the app and gives it to a group.';
  }
  if ([...apps.values()].some(({ role }) => role === 'admin')) return undefined;
  if (secondFactor !== 'required' && !(await hasApps(db))) return undefined;
  return 'Only an admin of one of the apps adds another.';
}

/** Adds an app, whose admin the user is; again changes nothing. @throws {ApiError} `forbidden`; `invalid_request` if it is of others */
export async function addApp(
  db: Kysely<Database>,
  session: Session,
  app: { bundleId: string; name: string },
  { who, author, clock }: { who: WhoAddsApps; author: Author; clock: Clock },
) {
  const known = [...session.apps.values()].find(({ caller }) => caller.bundleId === app.bundleId);
  if (known?.role === 'admin') {
    const { caller, name, role } = known;
    return { app: { id: caller.appId, bundle_id: caller.bundleId, name, role }, isNew: false };
  }
  const refusal = await whyNoApp(db, session, who);
  if (refusal !== undefined) throw new ApiError('forbidden', { message: refusal });
  const added = await db.transaction().execute(async (transaction) => {
    const created = await createUntakenApp(transaction, app, clock, author);
    if (created === undefined) return undefined;
    await setRole(transaction, { user: session.user, appId: created.id, role: 'admin' }, clock, author);
    return created;
  });
  // A page that has sent the call twice; the session may not know the app yet.
  const own = added ?? (await ownApp(db, session, app.bundleId));
  if (own === undefined) {
    const message = 'belongs to an app of this server already: ask its admins for a role';
    throw invalidRequest([{ path: 'app.bundle_id', message }]);
  }
  const { id, bundleId: bundle_id, name } = own;
  return { app: { id, bundle_id, name, role: 'admin' }, isNew: added !== undefined };
}

/** @returns the app with this bundle id, if the user is its admin */
async function ownApp(db: Kysely<Database>, { user }: Session, bundleId: string) {
  const found = await findApp(db, bundleId);
  if (found?.bundleId !== bundleId) return undefined;
  const role = await readRole(db, { user, appId: found.id });
  return role === 'admin' ? found : undefined;
}

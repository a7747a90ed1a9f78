/**
 * Who may say which user a phone has, where the app checks it (docs/decisions/0055-user-tokens.md). A server's key is
 * trusted. The key in an app is not: a call with it that names a user carries a user token. With `required`, so does a
 * call that presents a push token: without a user token the phone has no user afterwards, so that neither a phone that
 * changes hands nor one that takes over a device gets the earlier user's pushes.
 */
import { ApiError } from '../../api/errors.ts';
import type { Caller } from '../../apps/caller.ts';
import { type ProvenUser, refusals, type TokenRefusal, type UserTokens } from '../../apps/identity/verify.ts';
import { namesUser } from '../to-columns.ts';
import { IOS_TOKEN } from '../push-token.ts';

interface NamesUser {
  user_id?: string | null | undefined;
  user_email?: string | null | undefined;
  user_token?: string | null | undefined;
  push_token?: string | null | undefined;
}

/** Whether a server makes the call: its key may do more than one that is embedded in an app. */
function isServer({ scopes }: Caller): boolean {
  return scopes.includes('write') || scopes.includes('admin');
}

/**
 * @param sent the attributes of a registration or an update
 * @returns them with the user that the device may have, and whether somebody vouches for that user
 * @throws {ApiError} `user_not_verified`
 */
export async function withProvenUser<Sent extends NamesUser>(
  userTokens: UserTokens,
  caller: Caller,
  sent: Sent,
): Promise<{ sent: Sent; isUserVerified: boolean }> {
  const { user_id: userId, user_email: email, user_token: token } = sent;
  const isNamed = namesUser(sent);
  const { identity: mode } = caller;
  if (isServer(caller)) return { sent, isUserVerified: isNamed };
  if (mode === 'off') return { sent, isUserVerified: false };
  const signsOut = !isNamed && (userId === null || email === null);
  if (signsOut || (!isNamed && typeof token !== 'string')) {
    const losesUser = mode === 'required' && (signsOut || typeof sent.push_token === 'string');
    return { sent: losesUser ? { ...sent, user_id: null, user_email: null } : sent, isUserVerified: false };
  }
  const proven = await proofOf(userTokens, caller, token, (user) => {
    if (typeof userId === 'string' && userId !== user.userId) return 'other_user';
    if (typeof email === 'string' && email !== user.email) return 'other_email';
    return user.pushToken === undefined || isSame(user.pushToken, sent.push_token)
      ? undefined
      : 'other_device';
  });
  if (proven === undefined) return { sent, isUserVerified: false };
  // The token is the whole truth: an earlier user's address does not stay with the next one.
  return { sent: { ...sent, user_id: proven.userId, user_email: proven.email }, isUserVerified: true };
}

/** Tokens of iOS may be sent in capitals. */
function isSame(named: string, sent: string | null | undefined): boolean {
  if (named === sent) return true;
  return typeof sent === 'string' && IOS_TOKEN.test(sent) && named.toLowerCase() === sent.toLowerCase();
}

/**
 * For a call about a user that changes no device.
 * @param user as stored; undefined or without any name: nothing has to be proven
 * @throws {ApiError} `user_not_verified`
 */
export async function requireProof(
  userTokens: UserTokens,
  caller: Caller,
  token: string | null | undefined,
  user: { user_id: string | null; user_email: string | null } | undefined,
): Promise<void> {
  if (caller.identity === 'off' || isServer(caller) || user === undefined) return;
  const { user_id: userId, user_email: email } = user;
  if (userId === null && email === null) return;
  await proofOf(
    userTokens,
    caller,
    token,
    (proven) => {
      if (userId !== null) return userId === proven.userId ? undefined : 'other_user';
      return email === proven.email ? undefined : 'other_email';
    },
    'user_token',
  );
}

/**
 * @param fault what the user of a good token makes wrong
 * @returns undefined if nothing is proven, and the app only counts that
 */
async function proofOf(
  userTokens: UserTokens,
  caller: Caller,
  token: string | null | undefined,
  fault: (user: ProvenUser) => TokenRefusal | undefined,
  path = 'device.user_token',
): Promise<ProvenUser | undefined> {
  const verified = typeof token === 'string' ? await userTokens.verify(caller, token) : 'missing';
  const refusal = typeof verified === 'string' ? verified : fault(verified);
  const mode = caller.identity === 'required' ? 'required' : 'report';
  userTokens.observe({ kind: 'user_checked', mode, result: refusal ?? 'verified' });
  if (refusal === undefined) return typeof verified === 'string' ? undefined : verified;
  if (mode === 'report') return undefined;
  throw new ApiError('user_not_verified', { details: [{ path, message: refusals[refusal] }] });
}

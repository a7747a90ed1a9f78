/** A user, the user's phone, and an attacker with a phone and an account of the same app. */
import { refusals, type TokenRefusal } from '../../src/apps/identity/verify.ts';
import { type DemandingApp, newPushToken, newUser, type Phone } from './demanding-app.ts';

export interface Scene {
  /** The user whose pushes the attacker wants, and that user's phone. */
  zoe: string;
  email: string;
  phone: Phone;
  /** The attacker's phone, and a token of the attacker's own account. */
  ownPushToken: string;
  ownToken: string;
}

export async function sceneIn(app: DemandingApp): Promise<Scene> {
  const zoe = newUser();
  const email = `${zoe}@example.com`;
  const phone = await app.phoneOf(zoe, email);
  return { zoe, email, phone, ownPushToken: newPushToken(), ownToken: app.token('mallory') };
}

/** The reply to a call whose token proves nothing. */
export function refusedAs(refusal: TokenRefusal, path = 'device.user_token'): object {
  return {
    status: 403,
    body: { code: 'user_not_verified', details: [{ path, message: refusals[refusal] }] },
  };
}

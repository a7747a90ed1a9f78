/** A user, the user's phone, and an attacker with a phone and an account of the same app. */
import { refusals, type TokenRefusal } from '../../src/apps/identity/verify.ts';
import type { Reply } from '../http/api.ts';
import { type DemandingApp, newPushToken, newUser, type Phone } from './demanding-app.ts';

export interface Scene {
  /** The user whose pushes the attacker wants, and that user's phone. */
  zoe: string;
  email: string;
  phone: Phone;
  /** The attacker's phone, and a token of the attacker's own account. */
  ownPushToken: string;
  ownToken: string;
  /** Registers the attacker's phone, with these fields. */
  register: (fields: object) => Promise<Reply>;
}

export async function sceneIn(app: DemandingApp): Promise<Scene> {
  const zoe = newUser();
  const email = `${zoe}@example.com`;
  const phone = await app.phoneOf(zoe, email);
  const ownPushToken = newPushToken();
  const register = async (fields: object): Promise<Reply> =>
    app.call('POST /v6/devices', { device: { platform: 'iOS', push_token: ownPushToken, ...fields } });
  return { zoe, email, phone, ownPushToken, ownToken: app.token('mallory'), register };
}

/** The reply to a call whose token proves nothing. */
export function refusedAs(refusal: TokenRefusal, path = 'device.user_token'): object {
  return {
    status: 403,
    body: { code: 'user_not_verified', details: [{ path, message: refusals[refusal] }] },
  };
}

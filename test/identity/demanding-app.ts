/** An app that demands user tokens, with a key of each kind, on the server of a test. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { storeIdentityKey } from '../../src/apps/identity/key-store.ts';
import { type IdentityMode, setIdentityMode } from '../../src/apps/identity/mode.ts';
import { refusals, type TokenRefusal } from '../../src/apps/identity/verify.ts';
import { commandLine } from '../../src/audit/author.ts';
import type { Api, Reply, TestApp } from '../http/api.ts';
import { newToken } from '../support/push-token.ts';
import { testSecret } from '../support/secret.ts';
import { claimsOf, newKeys, newSecret, publicPem, signers, tokenOf } from './user-tokens.ts';

const withDevice = z.object({ device: z.looseObject({ id: z.string() }) });

export type DemandingApp = Awaited<ReturnType<typeof demandingApp>>;

/** @param clock of the server; it goes on by three seconds, so that the server knows the mode */
export async function demandingApp(
  api: Api,
  app: TestApp,
  clock: { now: Date },
  mode: IdentityMode = 'required',
) {
  const es = newKeys.ES256();
  const ed = newKeys.EdDSA();
  const secret = newSecret();
  const store = async (keyId: string, algorithm: 'ES256' | 'EdDSA' | 'HS256', key: string): Promise<void> =>
    storeIdentityKey(
      api.db,
      testSecret,
      app.id,
      { key_id: keyId, algorithm, key },
      () => clock.now,
      commandLine,
    );
  await store('es', 'ES256', publicPem(es.publicKey));
  await store('ed', 'EdDSA', publicPem(ed.publicKey));
  await store('hs', 'HS256', secret.toString('base64'));
  const setMode = async (next: IdentityMode): Promise<void> => {
    await setIdentityMode(api.db, app.id, next, () => clock.now, commandLine);
    clock.now = new Date(clock.now.getTime() + 3_000);
  };
  await setMode(mode);
  /** A good token of the ES256 key; `claims` replaces some. */
  const token = (userId: unknown, claims: object = {}): string =>
    tokenOf(
      { alg: 'ES256', kid: 'es' },
      claimsOf(app.bundleId, userId, clock.now.getTime(), claims),
      signers.es256(es.privateKey),
    );
  /** With the key that is embedded in the app. */
  const call = async (address: string, body?: unknown): Promise<Reply> =>
    api.call(address, { key: app.keys.register, body });
  return {
    app,
    es,
    ed,
    secret,
    token,
    call,
    setMode,
    /** Registers a phone that has a good token. */
    phoneOf: async (userId: string, email?: string) => {
      const pushToken = newToken();
      const device = {
        platform: 'iOS',
        push_token: pushToken,
        user_id: userId,
        user_email: email,
        user_token: token(userId, { email }),
      };
      const { status, body } = await call('POST /v6/devices', { device });
      expect(status, JSON.stringify(body)).toBe(201);
      return { id: withDevice.parse(body).device.id, pushToken };
    },
    /** The push tokens of the devices that pushes to the user would reach, by id or address. */
    reached: async (userId: string, email = ''): Promise<(string | null)[]> => {
      const rows = await api.db
        .selectFrom('devices')
        .select('push_token')
        .where('app_id', '=', app.id)
        .where((eb) => eb.or([eb('user_id', '=', userId), eb('user_email', '=', email)]))
        .orderBy('push_token')
        .execute();
      return rows.map((row) => row.push_token);
    },
  };
}

export function newUser(): string {
  return `zoe-${randomUUID()}`;
}

/** A user, the user's phone, and an attacker with a phone and an account of the same app. */
export type Scene = Awaited<ReturnType<typeof sceneIn>>;

export async function sceneIn(app: DemandingApp) {
  /** The user whose pushes the attacker wants, and that user's phone. */
  const zoe = newUser();
  const email = `${zoe}@example.com`;
  const phone = await app.phoneOf(zoe, email);
  /** The attacker's phone, and a token of the attacker's own account. */
  const ownPushToken = newToken();
  const ownToken = app.token('mallory');
  /** Registers the attacker's phone, with these fields. */
  const register = async (fields: object): Promise<Reply> =>
    app.call('POST /v6/devices', { device: { platform: 'iOS', push_token: ownPushToken, ...fields } });
  return { zoe, email, phone, ownPushToken, ownToken, register };
}

/** The reply to a call whose token proves nothing. */
export function refusedAs(refusal: TokenRefusal, path = 'device.user_token'): object {
  return {
    status: 403,
    body: { code: 'user_not_verified', details: [{ path, message: refusals[refusal] }] },
  };
}

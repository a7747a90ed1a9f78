/** An app that demands user tokens, with a key of each kind, on the server of a test. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { storeIdentityKey } from '../../src/apps/identity/key-store.ts';
import { type IdentityMode, setIdentityMode } from '../../src/apps/identity/mode.ts';
import { commandLine } from '../../src/audit/author.ts';
import type { Api, Reply, TestApp } from '../http/api.ts';
import { testSecret } from '../support/secret.ts';
import { claimsOf, newKeys, newSecret, publicPem, signers, tokenOf } from './user-tokens.ts';

const withDevice = z.object({ device: z.looseObject({ id: z.string() }) });

export interface Phone {
  id: string;
  pushToken: string;
}

export interface DemandingApp {
  app: TestApp;
  es: ReturnType<(typeof newKeys)['ES256']>;
  ed: ReturnType<(typeof newKeys)['EdDSA']>;
  secret: Buffer;
  /** A good token of the ES256 key; `claims` replaces some. */
  token: (userId: unknown, claims?: object) => string;
  /** With the key that is embedded in the app. */
  call: (address: string, body?: unknown) => Promise<Reply>;
  /** Registers a phone that has a good token. */
  phoneOf: (userId: string, email?: string) => Promise<Phone>;
  /** The push tokens of the devices that pushes to the user would reach, by id or address. */
  reached: (userId: string, email?: string) => Promise<(string | null)[]>;
  setMode: (mode: IdentityMode) => Promise<void>;
}

export function newPushToken(): string {
  return randomBytes(32).toString('hex');
}

/** @param clock of the server; it goes on by three seconds, so that the server knows the mode */
export async function demandingApp(
  api: Api,
  app: TestApp,
  clock: { now: Date },
  mode: IdentityMode = 'required',
): Promise<DemandingApp> {
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
  const token = (userId: unknown, claims: object = {}): string =>
    tokenOf(
      { alg: 'ES256', kid: 'es' },
      claimsOf(app.bundleId, userId, clock.now.getTime(), claims),
      signers.es256(es.privateKey),
    );
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
    phoneOf: async (userId, email) => {
      const pushToken = newPushToken();
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
    reached: async (userId, email = '') => {
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

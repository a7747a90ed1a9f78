/**
 * Tokens that were forged, altered, or made for something else: each is sent by an attacker who registers a phone as Zoe,
 * with the key that is embedded in the app. None gets her pushes.
 */
import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { TokenRefusal } from '../../src/apps/identity/verify.ts';
import { useApi } from '../http/api.ts';
import { type DemandingApp, demandingApp, refusedAs, type Scene, sceneIn } from './demanding-app.ts';
import {
  claimsOf,
  HOUR_SECONDS,
  newKeys,
  newSecret,
  publicPem,
  type Signer,
  signers,
  tokenOf,
} from './user-tokens.ts';

const clock = { now: new Date('2026-11-21T12:00:00.000Z') };
const api = useApi(() => clock.now);
let app: DemandingApp;
let other: DemandingApp;

beforeAll(async () => {
  app = await demandingApp(api, api.app, clock);
  other = await demandingApp(api, api.otherApp, clock);
});

type Make = (scene: Scene) => string;

const byEs = (): Signer => signers.es256(app.es.privateKey);
const byStranger = (): Signer => signers.es256(strangers.privateKey);
const zeros = (bytes: number) => (): Signer => signers.bytes(Buffer.alloc(bytes));
const bySecret = (secret: string | Buffer) => (): Signer => signers.hs256(secret);

/** A good token, except for these changes. */
function but(
  header: object | string,
  claims: object | ((scene: Scene) => object | string) = {},
  by = byEs,
): Make {
  return (scene) => {
    const changes = typeof claims === 'function' ? claims(scene) : claims;
    const { bundleId } = app.app;
    return tokenOf(
      typeof header === 'string' ? header : { alg: 'ES256', kid: 'es', ...header },
      typeof changes === 'string' ? changes : claimsOf(bundleId, scene.zoe, clock.now.getTime(), changes),
      by(),
    );
  };
}

const good = but({});
const inHours = (hours: number): number => Math.floor(clock.now.getTime() / 1_000) + hours * HOUR_SECONDS;
const strangers = newKeys.ES256();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const smallCurve = generateKeyPairSync('ec', { namedCurve: 'secp224r1' });
const HS = { alg: 'HS256', kid: 'hs' };

const forged: readonly [what: string, refusal: TokenRefusal, make: (scene: Scene) => unknown][] = [
  ['no token', 'missing', () => undefined],
  ['null', 'missing', () => null],
  ['an empty token', 'malformed', () => ''],
  ['alg none', 'algorithm', but({ alg: 'none' }, {}, zeros(1))],
  ['alg none without a signature', 'malformed', but({ alg: 'none' }, {}, zeros(0))],
  ['alg NONE', 'algorithm', but({ alg: 'NONE' }, {}, zeros(1))],
  ['no alg', 'malformed', but({ alg: undefined })],
  ['alg as a list', 'malformed', but({ alg: ['ES256'] })],
  [
    'the public key as a secret',
    'algorithm',
    but({ alg: 'HS256' }, {}, () => signers.hs256(publicPem(app.es.publicKey))),
  ],
  [
    'the public key as the secret',
    'signature',
    but(HS, {}, () => signers.hs256(publicPem(app.es.publicKey))),
  ],
  ['an empty secret', 'signature', but(HS, {}, bySecret(''))],
  ['a secret of zeros', 'signature', but(HS, {}, bySecret(Buffer.alloc(32)))],
  ['HS384', 'algorithm', but({ ...HS, alg: 'HS384' }, {}, () => signers.hs256(app.secret))],
  ['RS256', 'algorithm', but({ alg: 'RS256' }, {}, () => signers.rs256(rsa.privateKey))],
  ['a key of the attacker', 'signature', but({}, {}, byStranger)],
  ['a key of a small curve', 'signature', but({}, {}, () => signers.es256(smallCurve.privateKey))],
  ['a good key under the id of another', 'algorithm', but({ kid: 'ed' })],
  ['a signature in DER', 'signature', but({}, {}, () => signers.es256AsDer(app.es.privateKey))],
  ['a signature of zeros', 'signature', but({}, {}, zeros(64))],
  ['an EdDSA signature of zeros', 'signature', but({ alg: 'EdDSA', kid: 'ed' }, {}, zeros(64))],
  ['half a signature', 'signature', but({}, {}, () => (signed) => byEs()(signed).subarray(0, 32))],
  [
    'the signature of another token',
    'signature',
    (scene) => `${good(scene).replace(/[^.]+$/, '')}${scene.ownToken.split('.')[2]}`,
  ],
  ['another aud', 'audience', but({}, { aud: 'com.example.other' })],
  ['an aud that begins with the right one', 'audience', but({}, () => ({ aud: `${app.app.bundleId}.beta` }))],
  ['no aud', 'audience', but({}, { aud: undefined })],
  ['the key of another app', 'signature', but({}, {}, () => signers.es256(other.es.privateKey))],
  ['a token for another app', 'signature', ({ zoe }) => other.token(zoe)],
  ['an exp in the past', 'expired', but({}, () => ({ exp: inHours(0) - 61 }))],
  ['no exp', 'claims', but({}, { exp: undefined })],
  ['exp as text', 'claims', but({}, () => ({ exp: String(inHours(1)) }))],
  ['an exp far ahead', 'too_long', but({}, () => ({ exp: inHours(25) }))],
  ['an endless exp', 'too_long', but({}, { exp: 1e300 })],
  ['an nbf ahead', 'not_yet_valid', but({}, () => ({ nbf: inHours(1) }))],
  ['sub of the attacker', 'other_user', ({ ownToken }) => ownToken],
  ['no sub', 'claims', but({}, { sub: undefined })],
  ['an empty sub', 'claims', but({}, { sub: '' })],
  ['sub as a number', 'claims', but({}, { sub: 17 })],
  ['sub as a list', 'claims', but({}, ({ zoe }) => ({ sub: [zoe] }))],
  ['sub as an object', 'claims', but({}, ({ zoe }) => ({ sub: { id: zoe } }))],
  ['a sub that looks alike', 'other_user', but({}, ({ zoe }) => ({ sub: zoe.replace('o', '\u043E') }))],
  ['a sub with a hidden character', 'other_user', but({}, ({ zoe }) => ({ sub: `${zoe}\u200B` }))],
  ['a sub in capitals', 'other_user', but({}, ({ zoe }) => ({ sub: zoe.toUpperCase() }))],
  [
    'sub twice',
    'malformed',
    but({}, ({ zoe }) => `{"sub":"mallory","sub":"${zoe}","aud":"${app.app.bundleId}","exp":${inHours(1)}}`),
  ],
  ['kid twice', 'malformed', but('{"alg":"ES256","kid":"none","kid":"es"}')],
  ['no kid', 'unknown_key', but({ kid: undefined })],
  ['kid of no key', 'unknown_key', but({ kid: 'es2' })],
  ['kid as a path', 'unknown_key', but({ kid: '../../dev/null' }, {}, bySecret(''))],
  ['kid as SQL', 'unknown_key', but({ kid: "es' or '1'='1" })],
  ['kid as a name of every object', 'unknown_key', but({ kid: '__proto__' })],
  ['kid as a list', 'unknown_key', but({ kid: ['es'] })],
  ['a jku of the attacker', 'signature', but({ jku: 'https://evil.example/jwks' }, {}, byStranger)],
  ['an x5u of the attacker', 'signature', but({ x5u: 'https://evil.example/x5u' }, {}, byStranger)],
  [
    'a key in the header',
    'signature',
    but({ jwk: strangers.publicKey.export({ format: 'jwk' }) }, {}, byStranger),
  ],
  ['a critical header', 'malformed', but({ crit: ['exp'], exp: 1 })],
  ['b64 false', 'malformed', but({ crit: ['b64'], b64: false })],
  ['padded parts', 'malformed', (scene) => good(scene).replaceAll('.', '==.')],
  ['white space in a part', 'malformed', (scene) => good(scene).replace('.', ' .')],
  ['a line break at the end', 'malformed', (scene) => `${good(scene)}\n`],
  ['four parts', 'malformed', (scene) => `${good(scene)}.e30`],
  ['five parts, as an encrypted token has', 'malformed', (scene) => `${good(scene)}.e30.e30`],
  ['the name of a scheme before it', 'malformed', (scene) => `Bearer ${good(scene)}`],
  ['a very large token', 'malformed', but({}, { x: 'x'.repeat(4_096) })],
  ['claims that are a list', 'malformed', but({}, () => '[]')],
  ['claims that are no JSON', 'malformed', but({}, () => 'zoe')],
  ['a header that is null', 'malformed', but('null')],
  ['the address in another case', 'other_email', but({}, ({ email }) => ({ email: email.toUpperCase() }))],
  ['no address', 'other_email', good],
  ['an address as a list', 'claims', but({}, ({ email }) => ({ email: [email] }))],
  [
    'a token for the push token of Zoe',
    'other_device',
    but({}, ({ email, phone }) => ({ email, push_token: phone.pushToken })),
  ],
];

test.each(forged)('a registration as another user with %s is refused as %s', async (_what, refusal, make) => {
  const attack = await sceneIn(app);
  const { zoe: user_id, email: user_email } = attack;
  const reply = await attack.register({ user_id, user_email, user_token: make(attack) });
  expect(reply).toMatchObject(refusedAs(refusal));
  expect(await app.reached(user_id, user_email)).toEqual([attack.phone.pushToken]);
});

test('a token of a removed key proves nothing after two seconds', async () => {
  const scene = await sceneIn(app);
  const { zoe, phone } = scene;
  const secret = newSecret();
  const body = { identity_key: { key_id: 'gone', algorithm: 'HS256', key: secret.toString('base64') } };
  expect((await api.call('POST /v6/app/identity/keys', { body })).status).toBe(204);
  expect((await api.call('DELETE /v6/app/identity/keys/gone')).status).toBe(204);
  clock.now = new Date(clock.now.getTime() + 3_000);
  const user_token = but({ alg: 'HS256', kid: 'gone' }, {}, bySecret(secret))(scene);
  expect(await scene.register({ user_id: zoe, user_token })).toMatchObject(refusedAs('unknown_key'));
  expect(await app.reached(zoe)).toEqual([phone.pushToken]);
});

const withEmail = ({ email }: Scene): object => ({ email });

const tokens: readonly [what: string, make: Make][] = [
  ['of ES256', but({}, withEmail)],
  ['of EdDSA', but({ alg: 'EdDSA', kid: 'ed' }, withEmail, () => signers.eddsa(app.ed.privateKey))],
  ['of HS256', but({ ...HS, typ: 'JWT' }, withEmail, () => signers.hs256(app.secret))],
  ['that ended a minute ago', but({}, ({ email }) => ({ email, exp: inHours(0) - 59 }))],
  ['of a clock that is a minute ahead', but({}, ({ email }) => ({ email, nbf: inHours(0) + 59 }))],
  ['for a day', but({}, ({ email }) => ({ email, exp: inHours(24) }))],
  ['for several audiences', but({}, ({ email }) => ({ email, aud: ['other', app.app.bundleId] }))],
  [
    'for this push token',
    but({}, ({ email, ownPushToken }) => ({ email, push_token: ownPushToken.toUpperCase() })),
  ],
];

test.each(tokens)('a second phone of the user gets the user’s pushes by a token %s', async (_what, make) => {
  const own = await sceneIn(app);
  const { zoe: user_id, email: user_email, ownPushToken: push_token, phone } = own;
  const reply = await own.register({ user_id, user_email, user_token: make(own) });
  expect(reply).toMatchObject({ status: 201, body: { device: { user_id, user_email } } });
  expect(await app.reached(user_id, user_email)).toEqual([push_token, phone.pushToken].toSorted());
});

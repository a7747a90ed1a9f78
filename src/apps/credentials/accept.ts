/** Stores credentials for a caller of the API, once the gateway accepts them. The command line has hints of its own. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Author } from '../../audit/author.ts';
import { inTransaction } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import { parseServiceAccount, processIdentity } from '../../gateways/fcm/service-account.ts';
import {
  checkDefaultUrl,
  checkVapidSubject,
  makeVapidKey,
  readVapidKey,
} from '../../gateways/web-push/vapid-key.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { parseBy } from '../../api/parse.ts';
import {
  appleEnvironments,
  type GatewayAddresses,
  type Refusal,
  refusalOfFcmCredentials,
  refusalOfKey,
  useOfFcmCredentials,
  useOfKey,
} from './ask-gateways.ts';
import {
  APPLE_ID,
  checkApnsCredentials,
  keyEnvironments,
  putApnsCredentials,
  putFcmCredentials,
  putVapidCredentials,
  readCredentials,
} from './store.ts';
import type { SecretKey } from '../seal.ts';

const PEM_CHARACTERS_MAX = 10_000;

const check = z
  .boolean()
  .describe('False: stores them without asking the gateway whether it accepts them.')
  .default(true);

/** Only for the document; `checkApnsCredentials` checks it. */
function appleId(what: string): { pattern: string; description: string } {
  return { pattern: APPLE_ID.source, description: `${what}: ten capital letters and digits.` };
}

export const apnsCredentialsBody = z
  .strictObject({
    credentials: z.strictObject({
      key_id: z.string().meta(appleId('The id of the key')),
      team_id: z.string().meta(appleId('The id of the Apple developer team')),
      private_key: z.string().max(PEM_CHARACTERS_MAX).describe('The text of Apple’s `.p8` file.'),
      environment: z
        .enum(keyEnvironments, `must be one of ${keyEnvironments.join(', ')}`)
        .describe('A key for `all` replaces all other keys of Apple.')
        .default('all'),
      check,
    }),
  })
  .meta({ id: 'ApnsCredentials' });

export const fcmCredentialsBody = z
  .strictObject({
    credentials: z
      .strictObject({
        service_account: z
          .looseObject({}, 'must be an object: the JSON of the file')
          .describe('The JSON of the file that Google makes for a key of the account.')
          .optional(),
        project_id: z
          .string()
          .describe('The Firebase project, without a key: the processes use their own identity.')
          .optional(),
        check,
      })
      .meta({
        // One of them, not both.
        if: { required: ['project_id'] },
        else: { required: ['service_account'] },
        not: { required: ['project_id', 'service_account'] },
      }),
  })
  .meta({ id: 'FcmCredentials' });

export const webPushCredentialsBody = z
  .strictObject({
    credentials: z.strictObject({
      subject: z
        .string()
        .describe(
          'Where push services ask about your pushes: `mailto:` with an address, or an https address.',
        ),
      url: z
        .string()
        .nullable()
        .describe(
          'Where a click on a notification without a `url` leads. If it is left out, it stays; null removes it.',
        )
        .optional(),
      private_key: z
        .string()
        .describe(
          'The private key of the pair with which your pages subscribe already: 32 bytes in base64url. Without it, the stored key stays, or one is made.',
        )
        .optional(),
      replace: z
        .boolean()
        .describe('Must be true to replace a stored key: every browser has to subscribe again.')
        .default(false),
    }),
  })
  .meta({ id: 'WebPushCredentials' });

export const webPushKeyReply = z
  .strictObject({
    public_key: z
      .string()
      .describe('65 bytes in base64url: the `applicationServerKey` with which pages subscribe.'),
  })
  .meta({ id: 'WebPushKey' });

export const keptWebPushKeyReply = z
  .strictObject({
    public_key: z.string().nullable().describe('As `WebPushKey` has it; null if the app has no key.'),
  })
  .meta({ id: 'KeptWebPushKey' });

export const storedCredentialsReply = z
  .strictObject({
    checked: z.boolean().describe('Whether the gateway was asked.'),
    good_for: z
      .array(z.enum(appleEnvironments))
      .nullable()
      .describe('The environments of Apple that accept the key; null for FCM, or if Apple was not asked.'),
  })
  .meta({ id: 'StoredCredentials' });

type StoredCredentials = z.output<typeof storedCredentialsReply>;
type ApnsBody = z.output<typeof apnsCredentialsBody>['credentials'];
type FcmBody = { check: boolean; given: { serviceAccount: string } | { projectId: string } };

/** @throws {ApiError} `invalid_request` */
export function parseApnsCredentials(body: unknown): ApnsBody {
  const parsed = parseBy(apnsCredentialsBody, body).credentials;
  plainFault('credentials', () => checkApnsCredentials(keyOf(parsed)));
  return parsed;
}

/** @throws {ApiError} `invalid_request` */
export function parseFcmCredentials(body: unknown): FcmBody {
  const {
    service_account: account,
    project_id: projectId,
    check: isChecked,
  } = parseBy(fcmCredentialsBody, body).credentials;
  if ((account === undefined) === (projectId === undefined)) {
    throw invalidRequest([
      { path: 'credentials', message: 'must have either service_account or project_id' },
    ]);
  }
  if (projectId !== undefined) {
    plainFault('credentials.project_id', () => processIdentity(projectId));
    return { check: isChecked, given: { projectId } };
  }
  const serviceAccount = stringifyJson(account);
  plainFault('credentials.service_account', () => parseServiceAccount(serviceAccount));
  return { check: isChecked, given: { serviceAccount } };
}

type WebPushBody = z.output<typeof webPushCredentialsBody>['credentials'];

/** @throws {ApiError} `invalid_request` */
export function parseWebPushCredentials(body: unknown): WebPushBody {
  const parsed = parseBy(webPushCredentialsBody, body).credentials;
  const { subject, url, private_key: key } = parsed;
  plainFault('credentials.subject', () => checkVapidSubject(subject));
  if (typeof url === 'string') plainFault('credentials.url', () => checkDefaultUrl(url));
  if (key !== undefined) plainFault('credentials.private_key', () => readVapidKey(key));
  return parsed;
}

export interface StoreDeps {
  db: Kysely<Database>;
  secret: SecretKey;
  clock: Clock;
  /** Undefined: the gateways cannot be asked. */
  gatewayAddresses?: GatewayAddresses | undefined;
}

interface App {
  appId: string;
  bundleId: string;
}

/** @throws {ApiError} `credentials_refused`; `unavailable` if the gateway did not say */
export async function storeApnsCredentials(
  { db, secret, clock, gatewayAddresses }: StoreDeps,
  { appId, bundleId }: App,
  body: ApnsBody,
  author: Author,
): Promise<StoredCredentials> {
  const key = keyOf(body);
  const { environment } = body;
  const use = body.check ? await useOfKey(required(gatewayAddresses), bundleId, key, clock) : undefined;
  if (use !== undefined) requireAccepted('Apple', refusalOfKey(use, environment));
  await putApnsCredentials(db, secret, { appId, ...key, environment }, clock, author);
  const good = use && appleEnvironments.filter((name) => use[name].result === 'good');
  return { checked: use !== undefined, good_for: good ?? null };
}

/** @throws {ApiError} `credentials_refused`; `unavailable` if the gateway did not say */
export async function storeFcmCredentials(
  { db, secret, clock, gatewayAddresses }: StoreDeps,
  { appId }: App,
  { check: isChecked, given }: FcmBody,
  author: Author,
): Promise<StoredCredentials> {
  if (isChecked) {
    const isKey = 'serviceAccount' in given;
    const credentials = isKey ? parseServiceAccount(given.serviceAccount) : processIdentity(given.projectId);
    const use = await useOfFcmCredentials(required(gatewayAddresses), credentials, clock);
    const name = isKey ? 'service account' : 'identity of this process';
    requireAccepted('Google', refusalOfFcmCredentials(use, name));
  }
  await putFcmCredentials(db, secret, { appId, ...given }, clock, author);
  return { checked: isChecked, good_for: null };
}

/** @throws {ApiError} `invalid_request` if it would replace a key, and the body does not say so */
export async function storeWebPushCredentials(
  { db, secret, clock }: StoreDeps,
  { appId }: App,
  { subject, url, private_key: given, replace }: WebPushBody,
  author: Author,
): Promise<z.output<typeof webPushKeyReply>> {
  return inTransaction(db, async (transaction) => {
    // One call after another: of two that make a key, the second would replace one with which pages subscribe already.
    await transaction.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute();
    const { web_push: stored } = await readCredentials(transaction, secret, appId, ['web_push']);
    const key = given === undefined ? (stored ?? makeVapidKey()) : readVapidKey(given);
    if (stored !== undefined && key.publicKey !== stored.publicKey && !replace) {
      const message =
        'is not the stored key, to which all browsers are bound; set replace if they may subscribe again';
      throw invalidRequest([{ path: 'credentials.private_key', message }]);
    }
    const { privateKey, publicKey } = key;
    const kept = { privateKey, publicKey, subject, url: url === undefined ? (stored?.url ?? null) : url };
    await putVapidCredentials(transaction, secret, { appId, ...kept }, clock, author);
    return { public_key: publicKey };
  });
}

/** @returns the public key with which pages subscribe */
export async function readWebPushKey(
  { db, secret }: Pick<StoreDeps, 'db' | 'secret'>,
  appId: string,
): Promise<z.output<typeof keptWebPushKeyReply>> {
  const { web_push: stored } = await readCredentials(db, secret, appId, ['web_push']);
  return { public_key: stored?.publicKey ?? null };
}

function keyOf(body: ApnsBody): { keyId: string; teamId: string; privateKey: string } {
  return { keyId: body.key_id, teamId: body.team_id, privateKey: body.private_key };
}

/** The checks throw plain errors with a sentence, which contains no part of a key. */
function plainFault(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    throw invalidRequest([{ path, message: `is not usable: ${sentence}` }]);
  }
}

function requireAccepted(gateway: 'Apple' | 'Google', refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const { result, why, goodFor } = refusal;
  if (result === 'unknown') {
    const message = `Nothing was stored: ${gateway} ${why}; try again, or send "check": false.`;
    throw new ApiError('unavailable', { message, retryAfterSeconds: 5 });
  }
  const other = goodFor === undefined ? '' : `; it can be stored with "environment": "${goodFor}"`;
  throw new ApiError('credentials_refused', { message: `Nothing was stored: ${gateway} ${why}${other}.` });
}

function required(addresses: GatewayAddresses | undefined): GatewayAddresses {
  if (addresses !== undefined) return addresses;
  const message = 'This server does not know the gateways; send "check": false to store without asking them.';
  throw new ApiError('unavailable', { message, retryAfterSeconds: 5 });
}

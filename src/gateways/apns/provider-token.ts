/**
 * The provider token: the JWT that identifies the sender to Apple. Apple accepts a token for up to 60 minutes, refuses
 * a team that mints new ones more often than every 20 minutes, and wants all workers of a team to share one. So a token
 * depends only on the key and the clock: it is issued at the start of a slot of half an hour and signed without
 * randomness (RFC 6979). All workers and all apps of the team compute the same token, even after a restart, and need
 * not exchange it.
 */
import type { KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import type { Clock } from '../../clock.ts';
import { describeJson, describeKey, describeText, parseText, privateKeyIn } from '../key-file.ts';

export interface ApnsCredentials {
  /** Key id and team id have ten characters each, and are shown in Apple's developer account. */
  keyId: string;
  teamId: string;
  /** The text of the `.p8` file. */
  privateKey: string;
}

const SLOT_MS = 30 * 60 * 1000;
/** A slot starts a minute late, so that a worker whose clock is ahead does not send a token from the future. */
const SLOT_LATE_MS = 60 * 1000;
const MINT_DISTANCE_MS = 20 * 60 * 1000;
/** Replacements have slots of their own. These start two minutes later, so that no replacement equals the token of a slot. */
const REPLACEMENT_SLOT_MS = 5 * 60 * 1000;
const REPLACEMENT_LATE_MS = 2 * 60 * 1000;

/** Apple's reasons for refusing a provider token that another one may be accepted in place of. */
export const EXPIRED = 'ExpiredProviderToken';
export const TOO_MANY = 'TooManyProviderTokenUpdates';

export interface ProviderToken {
  /** A token that Apple should accept: issued 1 to 51 minutes ago, and in use for at least 20 minutes. */
  current(): string;
  /**
   * To be called when Apple refuses `token`, with its reason.
   * - As expired, because our clock is behind Apple's: a token kept from the slot before gives way to that of the slot. That of the
   *   slot is replaced for the next half hour by one that is issued up to 5 minutes ago, as other processes compute it, unless it
   *   was replaced in the last 20 minutes.
   * - As one too many, because the team has another for less than 20 minutes: as a rule that of the slot before, which another
   *   process keeps. It is used until the slot is 20 minutes old.
   * @returns whether `current()` is now another token, so that the request is worth a second try
   */
  refused(token: string, reason: string | undefined): boolean;
}

interface Token {
  text: string;
  issuedAtMs: number;
  /** First use by this process. A token first used near the end of its slot is kept beyond it, for 20 minutes. */
  usedFromMs: number;
}

/** @throws {Error} with a plain sentence if the key cannot be read */
export function openProviderToken(credentials: ApnsCredentials, clock: Clock): ProviderToken {
  const key = parseApnsKey(credentials.privateKey);
  let token: Token | undefined;
  let replacement: Token | undefined;

  function mint(issuedAtMs: number, usedFromMs: number): Token {
    const text = signToken(key, credentials, Math.floor(issuedAtMs / 1000));
    return { text, issuedAtMs, usedFromMs };
  }

  function current(): string {
    const now = clock().getTime();
    if (replacement !== undefined && isWithin(replacement.issuedAtMs, SLOT_MS, now)) return replacement.text;
    const issuedAtMs = slotAt(now);
    const isDue = token?.issuedAtMs !== issuedAtMs;
    const isFromTheFuture = token !== undefined && token.usedFromMs > now;
    if (token === undefined || isFromTheFuture || (isDue && now - token.usedFromMs >= MINT_DISTANCE_MS)) {
      token = mint(issuedAtMs, now);
    }
    return token.text;
  }

  function replace(bearer: string): boolean {
    const now = clock().getTime();
    const issuedAtMs = slotAt(now);
    if (token?.text === bearer && token.issuedAtMs < issuedAtMs) {
      token = mint(issuedAtMs, now);
      return true;
    }
    if (replacement !== undefined && isWithin(replacement.usedFromMs, MINT_DISTANCE_MS, now)) return false;
    const sinceSlotMs = (now - REPLACEMENT_LATE_MS) % REPLACEMENT_SLOT_MS;
    replacement = mint(now - sinceSlotMs, now);
    return true;
  }

  function goBack(bearer: string): boolean {
    const now = clock().getTime();
    const issuedAtMs = slotAt(now);
    const usedFromMs = issuedAtMs + SLOT_LATE_MS;
    const isNew = token?.text === bearer && token.issuedAtMs === issuedAtMs;
    if (!isNew || now - usedFromMs >= MINT_DISTANCE_MS) return false;
    token = mint(issuedAtMs - SLOT_MS, usedFromMs);
    return true;
  }

  return {
    current,
    refused(bearer, reason) {
      if (reason !== EXPIRED && reason !== TOO_MANY) return false;
      if (current() !== bearer) return true; // another request was faster
      return reason === EXPIRED ? replace(bearer) : goBack(bearer);
    },
  };
}

/** The beginning of the slot of a moment (Unix ms). */
function slotAt(nowMs: number): number {
  return Math.floor((nowMs - SLOT_LATE_MS) / SLOT_MS) * SLOT_MS;
}

/** A moment in the future was noted before the clock was set back, so it does not count. */
function isWithin(fromMs: number, ms: number, nowMs: number): boolean {
  return fromMs <= nowMs && nowMs - fromMs < ms;
}

/**
 * Reads the text of Apple's `.p8` file.
 * @throws {Error} with a plain sentence that contains no part of the key
 */
export function parseApnsKey(pem: string): KeyObject {
  // A service account contains a key, but not one of Apple's.
  const file = describeJson(parseText(pem));
  const key = file === undefined ? privateKeyIn(pem) : undefined;
  if (key === undefined)
    throw new Error(`The APNs key ${file ?? describeText(pem) ?? NO_KEY}; ${USE_THE_FILE}`);
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    const found = describeKey(key);
    throw new Error(
      `The APNs key is ${found}, but Apple's keys are elliptic-curve keys on P-256; ${USE_THE_FILE}`,
    );
  }
  return key;
}

const NO_KEY = 'is not a private key in PEM format';
const USE_THE_FILE = 'use the .p8 file as Apple gave it.';

function signToken(key: KeyObject, { keyId, teamId }: ApnsCredentials, issuedAtSeconds: number): string {
  const header = base64url({ alg: 'ES256', kid: keyId });
  const claims = base64url({ iss: teamId, iat: issuedAtSeconds });
  const secret = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  const signature = p256.sign(Buffer.from(`${header}.${claims}`), secret, { lowS: false });
  return `${header}.${claims}.${Buffer.from(signature).toString('base64url')}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The payload that a gateway is given to send: one level of keys, not yet compiled for Apple or Google. */

/** Any JSON value. Numbers that a double cannot hold exactly are kept as raw JSON (see `json/lossless.ts`). */
export type Json = unknown;

export type InterruptionLevel = 'passive' | 'active' | 'time-sensitive' | 'critical';

/** A payload that has passed the rules of `notifications/payload`: one level of keys, known and custom ones. */
export interface Payload {
  alert?: string;
  title?: string;
  subtitle?: string;
  /** Keys of texts in the app's own resources, with the values of their placeholders: the phone translates them. */
  loc_key?: string;
  loc_args?: string[];
  title_loc_key?: string;
  title_loc_args?: string[];
  subtitle_loc_key?: string;
  subtitle_loc_args?: string[];
  badge?: number;
  sound?: string;
  collapse_key?: string;
  content_available?: boolean;
  mutable_content?: boolean;
  category?: string;
  interruption_level?: InterruptionLevel;
  relevance_score?: number;
  /** Used only if it is an https address. */
  image?: Json;
  _channel_id?: string;
  [customKey: string]: Json;
}

/** Keys that the gateways do not pass on to the app as they are: they are sent under other names, in headers, or to some devices alone. */
export const NOT_CUSTOM: ReadonlySet<string> = new Set([
  'alert',
  'title',
  'subtitle',
  'loc_key',
  'loc_args',
  'title_loc_key',
  'title_loc_args',
  'subtitle_loc_key',
  'subtitle_loc_args',
  'badge',
  'sound',
  'collapse_key',
  'content_available',
  'mutable_content',
  'category',
  'interruption_level',
  'relevance_score',
  '_channel_id',
]);

/** The key of a push with a text that only the device can read, a JWE. Payloads of callers cannot have it. */
export const ENCRYPTED_TEXT = '_jwe';

/** @returns undefined if it is no https address */
export function httpsAddress(value: unknown): string | undefined {
  return typeof value === 'string' && URL.parse(value)?.protocol === 'https:' ? value : undefined;
}

/** Whether a phone shows a text for it. */
export function showsText({ alert, title, loc_key, title_loc_key }: Payload): boolean {
  return alert !== undefined || title !== undefined || loc_key !== undefined || title_loc_key !== undefined;
}

/** The most bytes a compiled payload may have: Apple's limit for the JSON, Google's for keys and values. */
export const PAYLOAD_BYTES_MAX = 4096;

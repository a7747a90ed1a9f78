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

/** Whether a phone shows a text for it. */
export function showsText({ alert, title, loc_key, title_loc_key }: Payload): boolean {
  return alert !== undefined || title !== undefined || loc_key !== undefined || title_loc_key !== undefined;
}

/** The most bytes a compiled payload may have: Apple's limit for the JSON, Google's for keys and values. */
export const PAYLOAD_BYTES_MAX = 4096;

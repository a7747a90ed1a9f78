/**
 * Validates a message: only fields that FCM knows are allowed, and fields that Carillon sets must follow FCM's rules.
 */
import { z } from 'zod';
import type { FieldViolation } from './error.ts';
import { apnsBytes, apnsConfig, nidOf } from './apns.ts';
import { androidNotification, notificationBytes } from './notification.ts';

/** `fid`: a Firebase installation id. */
export interface GoogleRecipient {
  kind: 'token' | 'fid';
  token: string;
}

export type GoogleJudgement =
  | {
      kind: 'accepted';
      to: GoogleRecipient;
      nid: string | null;
      message: Readonly<Record<string, unknown>>;
      /** A dry run: nothing is delivered. */
      validateOnly: boolean;
    }
  | {
      kind: 'refused';
      violations: [FieldViolation, ...FieldViolation[]];
      ofFcm: boolean;
      /** Whether the answer names the field. */
      isNamed: boolean;
    };

const DATA_BYTES_MAX = 4096;
const TTL_MAX_SECONDS = 2_419_200;

const ttl = z
  .string()
  .regex(/^\d+(\.\d{1,9})?s$/, "Illegal duration format; duration must end with 's'")
  .refine((text) => Number.parseFloat(text) <= TTL_MAX_SECONDS, 'The TTL is over four weeks');

/** Google: "Understanding message delivery", the format of a label. */
const label = z.string().regex(/^[a-zA-Z0-9\-_.~%]{1,50}$/, 'Invalid analytics label');
const fcmOptions = z.strictObject({ analytics_label: label.optional(), analyticsLabel: label.optional() });

/** Protocol buffers as JSON: a name may be in snake_case or camelCase, and unknown names are refused. */
const android = z.strictObject({
  collapse_key: z.string().optional(),
  collapseKey: z.string().optional(),
  priority: z.enum(['high', 'normal', 'HIGH', 'NORMAL']).optional(),
  ttl: ttl.optional(),
  restricted_package_name: z.string().optional(),
  restrictedPackageName: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
  notification: androidNotification.optional(),
  fcm_options: fcmOptions.optional(),
  fcmOptions: fcmOptions.optional(),
  direct_boot_ok: z.boolean().optional(),
  directBootOk: z.boolean().optional(),
  bandwidth_constrained_ok: z.boolean().optional(),
  bandwidthConstrainedOk: z.boolean().optional(),
  restricted_satellite_ok: z.boolean().optional(),
  restrictedSatelliteOk: z.boolean().optional(),
});
const message = z.strictObject({
  name: z.string().optional(),
  token: z.string().optional(),
  fid: z.string().optional(),
  topic: z.string().optional(),
  condition: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
  android: android.optional(),
  notification: z.unknown().optional(),
  webpush: z.unknown().optional(),
  apns: apnsConfig.optional(),
  fcm_options: fcmOptions.optional(),
  fcmOptions: fcmOptions.optional(),
});
const request = z.strictObject({
  message,
  validate_only: z.boolean().optional(),
  validateOnly: z.boolean().optional(),
});

const pushToken = /^[\w:-]{1,4096}$/;
const installationId = /^[cdef][\w-]{21}$/;
const tokenOfRequest = z.looseObject({
  message: z.looseObject({ token: z.string().optional(), fid: z.string().optional() }),
});

/** The push token or installation id in a request whose other fields are not validated yet. */
export function tokenOfBody(body: unknown): string | undefined {
  const asked = tokenOfRequest.safeParse(body).data?.message;
  return asked?.token ?? asked?.fid;
}

/** @param body the parsed JSON of the request; undefined if it is invalid */
export function judgeMessage(body: unknown): GoogleJudgement {
  if (body === undefined) {
    return malformed([{ field: '', description: 'Invalid JSON payload received.' }]);
  }
  const parsed = request.safeParse(body);
  if (!parsed.success) return malformed(parsed.error.issues.flatMap(violationsOf));

  const { token, fid, apns, data = {}, android: { notification = {} } = {} } = parsed.data.message;
  if (token !== undefined && fid !== undefined) return refused('message', 'Invalid value at recipient');
  const to = fid === undefined ? recipient('token', token) : recipient('fid', fid);
  if (to === undefined) return refused('message', 'Recipient of the message is not set.');
  if (to.kind === 'token' && !pushToken.test(to.token)) {
    return {
      ...refused('message.token', 'The registration token is not a valid FCM registration token'),
      isNamed: false, // FCM's answers do not name this field, although its documentation does
    };
  }
  if (to.kind === 'fid' && !installationId.test(to.token)) {
    return refused('message.fid', 'The value is not a valid Firebase installation ID');
  }
  const reserved = Object.keys(data).find(isReserved);
  if (reserved !== undefined) return refused('message.data', `Invalid data payload key: ${reserved}`);
  if (dataBytes(data) + notificationBytes(notification) > DATA_BYTES_MAX)
    return refused('message.data', 'Android message is too big');
  if (apns !== undefined && apnsBytes(apns) > DATA_BYTES_MAX)
    return refused('message.apns', 'APNs payload is too big');
  const { validate_only = false, validateOnly = validate_only } = parsed.data;
  const nid = data['_nid'] ?? nidOf(apns) ?? null;
  return { kind: 'accepted', to, nid, message: parsed.data.message, validateOnly };
}

function recipient(kind: GoogleRecipient['kind'], token: string | undefined): GoogleRecipient | undefined {
  return token === undefined ? undefined : { kind, token };
}

function isReserved(key: string): boolean {
  return ['from', 'message_type'].includes(key) || key.startsWith('google') || key.startsWith('gcm');
}

function dataBytes(data: Readonly<Record<string, string>>): number {
  return Object.entries(data).reduce(
    (bytes, [key, value]) => bytes + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}

/** A refusal by the JSON parser in front of FCM. */
function malformed(violations: readonly FieldViolation[]): GoogleJudgement {
  const [first = { field: '', description: 'Request contains an invalid argument.' }, ...rest] = violations;
  return { kind: 'refused', violations: [first, ...rest], ofFcm: false, isNamed: true };
}

/** A refusal by FCM itself. */
function refused(field: string, description: string): Extract<GoogleJudgement, { kind: 'refused' }> {
  return { kind: 'refused', violations: [{ field, description }], ofFcm: true, isNamed: true };
}

function violationsOf(issue: z.core.$ZodIssue): FieldViolation[] {
  const field = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') {
    return [{ field, description: `Invalid value at '${field}': ${issue.message}` }];
  }
  const at = field === '' ? '' : ` at '${field}'`;
  return issue.keys.map((key) => ({
    field,
    description: `Invalid JSON payload received. Unknown name "${key}"${at}: Cannot find field.`,
  }));
}

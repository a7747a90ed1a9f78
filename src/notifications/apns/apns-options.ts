/** The optional key `apns` of a notification: push type, topic and headers, checked by Apple's rules. */
import { z } from 'zod';
import type { FaultDetail } from '../../api/errors.ts';
import { apsFields, apsFieldsOf, badgeChangeOf } from './aps-options.ts';
import { isSilent } from '../../gateways/apns/compile-apns.ts';
import { hasFixedContent, isNamed, pushTypes, topicSuffix } from '../../gateways/apns/push-types.ts';
import type { ApnsFields } from '../../gateways/gateway.ts';
import type { Payload } from '../../gateways/payload.ts';
import { isJsonObject, text } from '../../api/parse.ts';

const NAME_CHARACTERS_MAX = 255;
/** Seconds since 1970 fit into 32 bits; milliseconds, a frequent mistake, do not. */
const EXPIRATION = /^(?:0|[1-9]\d{0,9})$/;
const COLLAPSE_ID = /^[!-~](?:[ -~]{0,62}[!-~])?$/;
const expirationRule = 'must be "0" or Unix seconds, as text';
const collapseRule = 'must be 1 to 64 visible ASCII characters';

export const apnsField = z
  .strictObject({
    push_type: z
      .enum(pushTypes, `must be one of ${pushTypes.join(', ')}`)
      .describe(
        'The header `apns-push-type`. If left out, `background` for a payload that only wakes the ' +
          'app, otherwise `alert`. All other types are sent to push tokens of their own, on devices ' +
          'that have registered one.',
      ),
    topic_suffix: z
      .string()
      .describe(
        'The part of the topic after the bundle id. It follows from the push type; if given, it must match.',
      ),
    token_name: text(NAME_CHARACTERS_MAX, 1).describe(
      'The name of the registered push token; `default` if left out.',
    ),
    headers: z
      .strictObject({
        'apns-priority': z
          .enum(['1', '5', '10'], 'must be "1", "5" or "10"')
          .describe('Replaces the value that follows from `priority`.'),
        'apns-expiration': z
          .string(expirationRule)
          .regex(EXPIRATION, expirationRule)
          .describe('Replaces the value that follows from `time_to_live`.'),
        'apns-collapse-id': z
          .string(collapseRule)
          .regex(COLLAPSE_ID, collapseRule)
          .describe('Replaces the value that follows from `collapse_key`.'),
      })
      .exactPartial()
      .meta({ id: 'ApnsHeaders' })
      .describe('Headers of the request to Apple. Carillon sets all others.'),
    ...apsFields.shape,
  })
  .exactPartial()
  .meta({ id: 'ApnsOptions' })
  .describe('Fields for Apple alone.');

export type ApnsOptions = z.output<typeof apnsField>;

/** Keys for what is shown; only alerts use them. */
const apsKeys = ['badge', 'thread_id', 'target_content_id', 'filter_criteria', 'sound'] as const;

export function apnsFieldsOf(options: ApnsOptions): ApnsFields {
  const { push_type: pushType, headers } = options;
  const aps = apsFieldsOf(options);
  const badge = badgeChangeOf(options);
  return {
    ...(pushType !== undefined && { pushType }),
    ...(headers !== undefined && { headers }),
    ...(aps !== undefined && { aps }),
    ...(badge !== undefined && { badge }),
  };
}

const WITHOUT_PAYLOAD: ReadonlySet<unknown> = new Set(['widgets', 'controls', 'location']);

/** Whether the notification needs no `payload`, judged by its unchecked keys. */
export function mayOmitPayload({ apns, live_activity: activity }: Record<string, unknown>): boolean {
  if (isJsonObject(activity)) return true;
  return isJsonObject(apns) && (WITHOUT_PAYLOAD.has(apns['push_type']) || isBadgeAlone(apns));
}

function isBadgeAlone({ push_type: type, badge }: Record<string, unknown>): boolean {
  return badge !== undefined && (type === undefined || type === 'alert');
}

/** Whether it is sent to named tokens, judged by its unchecked keys. */
export function usesNamedTokens({ apns, live_activity: activity }: Record<string, unknown>): boolean {
  if (activity !== undefined) return true;
  const type = isJsonObject(apns) ? apns['push_type'] : undefined;
  return pushTypes.some((known) => known === type && isNamed(known));
}

/** Keys that set the moment of each device. They do not work with named tokens. */
const MOMENT_KEYS = ['deliver_at_local', 'spread_over', 'quiet_hours'] as const;
/** Keys that change what a phone shows. Pushes to named tokens do not use them. */
const SHOWN_KEYS = ['receipts', 'android_presentation', 'android'] as const;

export function fault(path: string, message: string): FaultDetail {
  return { path: `notification.${path}`, message };
}

/** Checks the options against each other and the notification. @param payloads every one that a device may get */
export function apnsFaults(
  apns: ApnsOptions,
  notification: Readonly<Record<string, unknown>>,
  payloads: readonly Payload[],
): FaultDetail[] {
  const { push_type: type, topic_suffix: suffix, token_name: name, headers = {} } = apns;
  const faults: FaultDetail[] = [];
  const fields = apnsFieldsOf(apns);
  const silent = payloads.filter((payload) => isSilent(payload, fields)).length;
  if (type === 'background' && silent < payloads.length) {
    faults.push(
      fault(
        'apns.push_type',
        'needs a payload with content_available true and without alert, title, subtitle, badge and sound',
      ),
    );
  }
  if (type === 'alert' && silent > 0) {
    faults.push(fault('apns.push_type', 'must be background for a payload that only wakes the app'));
  }
  const demanded = topicSuffix(type ?? 'alert');
  if (suffix !== undefined && suffix !== demanded) {
    const rule = demanded === '' ? 'must be left out' : `must be ${demanded}`;
    faults.push(fault('apns.topic_suffix', `${rule} for push_type ${type ?? 'alert'}`));
  }
  const { 'apns-priority': priority } = headers;
  if (priority !== undefined && priority !== '5' && (type === 'background' || silent > 0)) {
    faults.push(fault('apns.headers.apns-priority', 'must be "5" for a background push'));
  }
  if (apns.badge !== undefined && payloads.some(({ badge }) => badge !== undefined)) {
    faults.push(fault('apns.badge', 'cannot be used together with the badge of a payload'));
  }
  if (type === undefined || !isNamed(type)) {
    if (name !== undefined) {
      faults.push(fault('apns.token_name', 'needs a push_type with tokens of its own, such as widgets'));
    }
    return faults;
  }
  if (type === 'pushtotalk' && priority !== undefined && priority !== '10') {
    faults.push(fault('apns.headers.apns-priority', 'must be "10" for push_type pushtotalk'));
  }
  if (type === 'pushtotalk' && notification['priority'] === 'normal') {
    faults.push(fault('priority', 'must be high for push_type pushtotalk'));
  }
  for (const key of apsKeys) {
    if (apns[key] !== undefined) {
      faults.push(fault(`apns.${key}`, `must be left out for push_type ${type}`));
    }
  }
  const unusable = [...MOMENT_KEYS, ...SHOWN_KEYS, ...(hasFixedContent(type) ? ['payload'] : [])];
  for (const key of unusable) {
    if (notification[key] !== undefined) faults.push(fault(key, `must be left out for push_type ${type}`));
  }
  return faults;
}

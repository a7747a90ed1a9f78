/** The payloads of a notification: the default one, and one for each translation, of each variant. */
import type { FaultDetail } from '../../api/errors.ts';
import { BADGE_MAX, type PushMessage } from '../../gateways/gateway.ts';
import type { Payload } from '../../gateways/payload.ts';
import { memberPath, stringifyJson } from '../../json/lossless.ts';
import { badgeChangeOf } from '../apns/aps-options.ts';
import { type NotificationContent, priorityOf } from '../message.ts';
import { encryptedTextsFaults } from './encrypted-texts.ts';
import { localizedFaults, translationsOf } from './localized.ts';
import { lengthFaults, workFaults } from './template/limits.ts';
import { hidesSome } from '../sensitive/sensitive.ts';
import { onMissingOf } from './template/setting.ts';
import { compileTemplate } from './template/template.ts';
import { variantContents, variantFaults, variantTexts } from './variants.ts';

/** One of the payloads of a notification, as some of its devices get it. */
export interface Version {
  /** The name of the variant; null if the notification is no A/B test. */
  readonly variant: string | null;
  /** The canonical tag of the translation; null for the default payload. */
  readonly locale: string | null;
  /** Where its texts were submitted, for faults. */
  readonly path: string;
  readonly payload: Payload;
  readonly priority: PushMessage['priority'];
}

const PAYLOAD_PATH = 'notification.payload';
const LOCALIZED_PATH = 'notification.localized';

export function isSameForAll(content: NotificationContent): boolean {
  const { localized, template, variants, encrypted_texts: encrypted } = content;
  if (localized !== undefined || variants !== undefined || onMissingOf(template) !== undefined) return false;
  if (encrypted !== undefined) return false;
  return badgeStepOf(content) === undefined;
}

/** How much a push changes the badge of a device; undefined if all devices get the same number, or none. */
export function badgeStepOf({ apns }: NotificationContent): { by: number } | undefined {
  const change = apns && badgeChangeOf(apns);
  return change !== undefined && 'by' in change ? change : undefined;
}

/** @returns the default payload first, or the payload of the first variant; templates are not rendered */
export function versionsOf(content: NotificationContent): readonly [Version, ...Version[]] {
  const [first, ...others] = variantVersions(content);
  if (first === undefined) return versionsOfOne(content);
  const [standard, ...translations] = first;
  return [standard, ...translations, ...others.flat()];
}

/** @returns the payloads of each variant, its default one first; empty if the notification is no A/B test */
export function variantVersions(content: NotificationContent): readonly (readonly [Version, ...Version[]])[] {
  return variantContents(content).map((variant) =>
    versionsOfOne(variant.content, variant.name, {
      payload: `${variant.path}.payload`,
      localized: `${variant.path}.localized`,
    }),
  );
}

function versionsOfOne(
  content: NotificationContent,
  variant: string | null = null,
  paths = { payload: PAYLOAD_PATH, localized: LOCALIZED_PATH },
): readonly [Version, ...Version[]] {
  const { payload, localized = {} } = content;
  return [
    { variant, locale: null, path: paths.payload, payload, priority: priorityOf(content, payload) },
    ...translationsOf(payload, localized).map(({ locale, key, payload: translated }) => ({
      variant,
      locale,
      path: memberPath(paths.localized, key),
      payload: translated,
      priority: priorityOf(content, translated),
    })),
  ];
}

/** @returns the payload of a version with the longest values that a device can have */
export function longestOf(version: Version, content: NotificationContent): Payload {
  const longest =
    onMissingOf(content.template) === undefined
      ? version.payload
      : compileTemplate(version.payload, version.path).template.longest;
  return badgeStepOf(content) === undefined ? longest : { ...longest, badge: BADGE_MAX };
}

/** @returns the payload of a version for a device without attributes */
export function withoutValues(version: Version, { template }: NotificationContent): Payload {
  if (onMissingOf(template) === undefined) return version.payload;
  return compileTemplate(version.payload, version.path).template.render(() => undefined).payload;
}

/**
 * Each part of a notification with several payloads, and each payload merged of them, in bytes of JSON. There are up to 200, and a
 * push takes 5 KB; some room is left for templates, which are longer than their texts.
 */
const PART_BYTES_MAX = 8_192;

/** The faults of the optional parts of a content whose `payload` is valid. */
export function contentFaults(content: NotificationContent): FaultDetail[] {
  const { payload, localized = {}, template } = content;
  const payloads = [
    [payload, PAYLOAD_PATH] as const,
    ...Object.entries(localized).map(([key, keys]) => [keys, memberPath(LOCALIZED_PATH, key)] as const),
    ...variantTexts(content),
  ];
  const tooLarge = payloads.length > 1 ? payloads.flatMap(sizeFaults) : [];
  if (tooLarge.length > 0) return tooLarge;
  const ofDefault = localizedFaults(payload, localized, LOCALIZED_PATH);
  const faults = ofDefault.length > 0 ? ofDefault : variantFaults(content);
  if (faults.length === 0 && payloads.length > 1) {
    const versions = versionsOf(content);
    faults.push(...keyFaults(versions));
    faults.push(...versions.flatMap(({ payload: merged, path }) => sizeFaults([merged, path])));
  }
  if (faults.length === 0) faults.push(...encryptedTextsFaults(content, () => versionsOf(content)));
  if (onMissingOf(template) === undefined) return faults;
  const tooLong = lengthFaults(payloads.map(([keys]) => keys));
  if (tooLong.length > 0) return [...faults, ...tooLong];
  const ofTemplates = payloads.flatMap(([keys, path]) => compileTemplate(keys, path).faults);
  const all = [...faults, ...(hidesSome(content.sensitive) ? ofTemplates.map(unquoted) : ofTemplates)];
  return all.length > 0 ? all : workFaults(versionsOf(content));
}

/** The fault of a template, which quotes a part of the text, in a notification whose texts are hidden. */
function unquoted({ path, message }: FaultDetail): FaultDetail {
  const [where = 'has a fault'] = message.split(':');
  return { path, message: `${where}, which is not quoted because the notification is sensitive` };
}

/** Enough for 200 payloads with 50 keys each. Compiling them all takes a microsecond for each key. */
const KEYS_MAX = 10_000;

/** @param versions all payloads of a notification, whose keys are mostly those of `payload` */
function keyFaults(versions: readonly Version[]): FaultDetail[] {
  const keys = versions.reduce((sum, { payload }) => sum + Object.keys(payload).length, 0);
  if (keys <= KEYS_MAX) return [];
  const message = `has ${keys} keys in its ${versions.length} payloads together; at most ${KEYS_MAX} are allowed`;
  return [{ path: 'notification', message }];
}

function sizeFaults([keys, path]: readonly [Payload, string]): FaultDetail[] {
  const bytes = Buffer.byteLength(stringifyJson(keys));
  if (bytes <= PART_BYTES_MAX) return [];
  const message = `has ${bytes} bytes as JSON; at most ${PART_BYTES_MAX} are allowed in a notification with several payloads`;
  return [{ path, message }];
}

/** The variants of an A/B test: several payloads of one notification, each for a share of the audience. */
import type { FaultDetail } from '../../api/errors.ts';
import type { Payload } from '../../gateways/payload.ts';
import { memberPath } from '../../json/lossless.ts';
import type { NotificationContent } from '../message.ts';
import { reservedKeyFaults, wholePayloadFaults } from '../payload.ts';
import { receiptKeyFaults } from '../receipt-sample.ts';
import type { Groups } from './assign-variant.ts';
import { canonicalTag } from './locales.ts';
import { changedBy, localizedFaults } from './localized.ts';
import type { Variant } from './variant-fields.ts';

/** Each payload is compiled and measured at creation. */
const PAYLOADS_MAX = 200;

export function groupsOf({ variants, hold_out: holdOut = 0 }: NotificationContent): Groups | undefined {
  return variants && { variants, holdOut };
}

/**
 * @returns what the devices of each variant get, and where it was submitted; empty if the notification is no
 *   A/B test
 */
export function variantContents(content: NotificationContent) {
  const { variants = [], hold_out: _holdOut, experiment: _experiment, localized, ...rest } = content;
  return variants.map((variant, index) => {
    const merged = mergedTranslations(localized, variant.localized);
    const payload = changedBy(rest.payload, variant.payload);
    const own: NotificationContent = { ...rest, payload, ...(merged && { localized: merged }) };
    return { name: variant.name, content: own, path: pathOf(index) };
  });
}

type Localized = NonNullable<NotificationContent['localized']>;

/** Each key of the variant replaces the notification's key for the same language, however the tag is written. */
function mergedTranslations(
  common: Localized | undefined,
  own: Localized | undefined,
): Localized | undefined {
  if (common === undefined || own === undefined) return own ?? common;
  const merged = new Map<string, Localized[string]>();
  for (const [key, changes] of [...Object.entries(common), ...Object.entries(own)]) {
    const tag = canonicalTag(key) ?? key;
    merged.set(tag, { ...merged.get(tag), ...changes });
  }
  return Object.fromEntries(merged);
}

function pathOf(index: number): string {
  return `notification.variants[${index}]`;
}

/** The faults of the variants of a content whose other parts are valid. */
export function variantFaults(content: NotificationContent): FaultDetail[] {
  const { variants, hold_out: holdOut, experiment, localized = {} } = content;
  if (variants === undefined) {
    const needing = Object.entries({ hold_out: holdOut, experiment }).filter(
      ([, value]) => value !== undefined,
    );
    return needing.map(([key]) => ({ path: `notification.${key}`, message: 'needs variants' }));
  }
  const faults = [
    ...repeatedNames(variants),
    ...variants.flatMap((variant, index) => keyFaults(content, variant, pathOf(index))),
  ];
  if (faults.length > 0) return faults;
  const payloads = variants.reduce(
    (sum, variant) => sum + 1 + Object.keys(mergedTranslations(localized, variant.localized) ?? {}).length,
    0,
  );
  if (payloads > PAYLOADS_MAX) {
    const message = `make ${payloads} payloads with their translations; at most ${PAYLOADS_MAX} are allowed`;
    return [{ path: 'notification.variants', message }];
  }
  return variantContents(content).flatMap(({ content: { payload, localized: merged = {} }, path }) =>
    wholePayloadFaults(payload, `${path}.payload`).concat(
      localizedFaults(payload, merged, `${path}.localized`),
    ),
  );
}

function repeatedNames(variants: readonly Variant[]): FaultDetail[] {
  const seen = new Set<string>();
  return variants.flatMap(({ name }, index) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return isRepeated
      ? [{ path: `${pathOf(index)}.name`, message: 'is the name of an earlier variant' }]
      : [];
  });
}

/** The faults of the keys of a variant itself. */
function keyFaults(
  { payload: _payload, localized = {}, receipts }: NotificationContent,
  { payload: changes = {}, localized: own = {} }: Variant,
  path: string,
): FaultDetail[] {
  return [
    ...reservedKeyFaults(changes, `${path}.payload`),
    ...receiptKeyFaults({ receipts, payload: changes }, path),
    ...ownTagFaults(own, `${path}.localized`),
    ...untranslatedFaults({ changes, localized, own }, path),
  ];
}

/** Whether two languages of the variant are the same; merging with the notification's languages would hide it. */
function ownTagFaults(own: Localized, path: string): FaultDetail[] {
  const seen = new Map<string, string>();
  return Object.keys(own).flatMap((key) => {
    const tag = canonicalTag(key) ?? key;
    const same = seen.get(tag);
    seen.set(tag, key);
    return same === undefined
      ? []
      : [{ path: memberPath(path, key), message: `is the same locale as ${same}` }];
  });
}

/**
 * A key that the variant changes and that the notification translates must be translated in the variant: otherwise
 * devices of that language would get the content without the variant, unnoticed.
 */
function untranslatedFaults(
  {
    changes,
    localized,
    own,
  }: { changes: Readonly<Record<string, unknown>>; localized: Localized; own: Localized },
  path: string,
): FaultDetail[] {
  const ownByTag = new Map(Object.entries(own).map(([key, translated]) => [canonicalTag(key), translated]));
  return Object.entries(localized).flatMap(([key, translated]) => {
    const said = ownByTag.get(canonicalTag(key)) ?? {};
    const missing = Object.keys(changes).filter(
      (name) => Object.hasOwn(translated, name) && !Object.hasOwn(said, name),
    );
    return missing.map((name) => ({
      path: memberPath(memberPath(`${path}.localized`, key), name),
      message: `must be given, because the variant changes ${name} and notification.localized translates it`,
    }));
  });
}

/** The texts of the variants themselves, with their paths, for templates. */
export function variantTexts({ variants = [] }: NotificationContent): (readonly [Payload, string])[] {
  return variants.flatMap(({ payload, localized = {} }, index) => [
    ...(payload === undefined ? [] : [[payload, `${pathOf(index)}.payload`] as const]),
    ...Object.entries(localized).map(
      ([key, keys]) => [keys, memberPath(`${pathOf(index)}.localized`, key)] as const,
    ),
  ]);
}

/**
 * Decides what a device gets. Sending, the size check of creation, and previews all decide here, so a preview shows
 * what is sent. If all devices get the same content, nothing is decided or read.
 */
import { changedBadge } from '../../gateways/gateway.ts';
import type { Payload } from '../../gateways/payload.ts';
import type { OwnReason } from '../../gateways/reason.ts';
import type { Fact } from '../../targeting/device-facts.ts';
import type { NotificationContent } from '../message.ts';
import { groupAt, HOLD_OUT, positionOf } from './assign-variant.ts';
import { encryptedTextFor, type EncryptedTextState, withEncryptedText } from './encrypted-texts.ts';
import { openLookUp } from './locales.ts';
import { onMissingOf } from './template/setting.ts';
import { compileTemplate } from './template/template.ts';
import { groupsOf } from './variants.ts';
import { badgeStepOf, isSameForAll, variantVersions, type Version, versionsOf } from './payload-versions.ts';

export interface Choice {
  readonly version: Version;
  /** The version's payload with the device's values in it; undefined if it uses none. */
  readonly own?: Payload;
  /** Whether it gets an encrypted text; undefined if the notification has none. */
  readonly encryptedText?: EncryptedTextState;
  readonly dropped?: Extract<OwnReason, 'missing_attribute'>;
}

export interface PerDevice {
  readonly facts: readonly Fact[];
  /** Whether texts are templates, so that the payload of each device is made by itself. */
  readonly hasTemplates: boolean;
  /** The variant of a device, or `HOLD_OUT`. Undefined if the notification is no A/B test. */
  readonly groupOf: ((deviceId: string, values: readonly unknown[] | undefined) => string) | undefined;
  /** @param values those of `facts`, in their order; undefined for a device that no longer exists */
  choose(values: readonly unknown[] | undefined, group?: string): Choice;
}

const LOCALE: Fact = { column: 'locale' };
const BADGE: Fact = { column: 'badge' };
const PLATFORM: Fact = { column: 'platform' };
const USER: Fact = { column: 'user_id' };
const ENCRYPTION_KEY: Fact = { column: 'encryption_key' };

type ValueOf = (fact: Fact) => unknown;

/** Call it once per notification, not once per device. @returns undefined if every device gets the same */
export function perDeviceOf(content: NotificationContent, id: string): PerDevice | undefined {
  if (isSameForAll(content)) return undefined;
  const groups = groupsOf(content);
  const used: Fact[] = groups === undefined ? [] : [USER];
  const byVariant = new Map(
    variantVersions(content).map((versions) => [versions[0].variant, chooserOf(content, versions, used)]),
  );
  const standard = [...byVariant.values()][0] ?? chooserOf(content, versionsOf(content), used);
  const step = badgeStepOf(content);
  if (step !== undefined) used.push(BADGE, PLATFORM);
  const { encrypted_texts: texts } = content;
  if (texts !== undefined) used.push(ENCRYPTION_KEY);
  const { facts, positions } = distinct(used);
  const valueIn = (values: readonly unknown[], fact: Fact) => values[positions.get(fact) ?? facts.length];

  function groupOf(deviceId: string, values: readonly unknown[] = []): string {
    const user = valueIn(values, USER);
    const userId = typeof user === 'string' && user !== '' ? user : null;
    const position = positionOf(content.experiment ?? id, { deviceId, userId });
    return groups === undefined ? HOLD_OUT : groupAt(position, groups);
  }
  function choose(values: readonly unknown[] = [], group?: string): Choice {
    const choice = withBadge(values, group);
    if (texts === undefined) return choice;
    const { state, jwe } = encryptedTextFor(texts, valueIn(values, ENCRYPTION_KEY));
    if (jwe === undefined) return { ...choice, encryptedText: state };
    const own = withEncryptedText(choice.own ?? choice.version.payload, jwe);
    return { ...choice, own, encryptedText: state };
  }
  function withBadge(values: readonly unknown[], group: string | undefined): Choice {
    const chooser = (group === undefined ? undefined : byVariant.get(group)) ?? standard;
    const choice = chooser((fact) => valueIn(values, fact));
    const kept = step === undefined ? undefined : valueIn(values, BADGE);
    if (step === undefined || typeof kept !== 'number' || valueIn(values, PLATFORM) !== 'iOS') return choice;
    return { ...choice, own: { ...(choice.own ?? choice.version.payload), badge: changedBadge(step, kept) } };
  }
  const hasTemplates = onMissingOf(content.template) !== undefined;
  return { facts, hasTemplates, groupOf: groups && groupOf, choose };
}

/** @param used receives the attributes that the decision needs */
function chooserOf(
  content: NotificationContent,
  [first, ...others]: readonly [Version, ...Version[]],
  used: Fact[],
): (valueOf: ValueOf) => Choice {
  const onMissing = onMissingOf(content.template);
  if (others.length > 0) used.push(LOCALE);
  const withTemplate = (version: Version) => ({
    version,
    template: onMissing && compileTemplate(version.payload, version.path, used).template,
  });
  const standard = withTemplate(first);
  const translations = others.map(withTemplate);
  const byTag = new Map(translations.map((translation) => [translation.version.locale ?? '', translation]));
  const lookUp = openLookUp(new Set(byTag.keys()));

  return (valueOf) => {
    const locale = byTag.size > 0 ? valueOf(LOCALE) : undefined;
    const tag = typeof locale === 'string' ? lookUp(locale) : undefined;
    const chosen = (tag === undefined ? undefined : byTag.get(tag)) ?? standard;
    if (chosen.template === undefined) return chosen;
    const { payload: own, isComplete } = chosen.template.render(valueOf);
    const { version } = chosen;
    return isComplete || onMissing === 'empty'
      ? { version, own }
      : { version, own, dropped: 'missing_attribute' };
  };
}

/** @returns each fact once, and the position of each given fact among them */
function distinct(used: readonly Fact[]): { facts: Fact[]; positions: ReadonlyMap<Fact, number> } {
  const facts = new Map<string, Fact>();
  for (const fact of used) facts.set(keyOf(fact), facts.get(keyOf(fact)) ?? fact);
  const keys = [...facts.keys()];
  return {
    facts: [...facts.values()],
    positions: new Map(used.map((fact) => [fact, keys.indexOf(keyOf(fact))])),
  };
}

function keyOf(fact: Fact): string {
  return 'column' in fact ? `device.${fact.column}` : `custom.${fact.custom}`;
}

/** The draft of a notification with languages and variants: what the form changes, and what applies where a field is empty. */
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as draft from '../../../packages/console/src/screens/compose/draft/languages.ts';
import {
  DEFAULT,
  inherited,
  languagesOf,
  type Section,
  sectionAt,
  pathIn,
  valuesOf,
  withLanguage,
  withOnlyVariant,
  withoutLanguage,
  withValue,
} from '../../../packages/console/src/screens/compose/draft/content-sections.ts';
import {
  sharesOf,
  VARIANTS_MAX,
  variantsOf,
  withNewVariant,
  withoutTest,
  withoutVariant,
} from '../../../packages/console/src/screens/compose/draft/variants.ts';
import { canonicalTag, tagsFor } from '../../../src/notifications/content/locales.ts';
import { variantContents } from '../../../src/notifications/content/variants.ts';
import { parseContent } from '../../../src/notifications/message.ts';

const SHOP = {
  to: '*',
  payload: { title: 'Sale', alert: 'Everything must go.', badge: 1 },
  localized: { fr: { title: 'Soldes', alert: 'Tout doit partir.' }, fr_CA: { alert: 'Tout s’en va.' } },
  variants: [
    { name: 'plain', weight: 1 },
    {
      name: 'half',
      weight: 3,
      payload: { title: 'Half price', badge: null },
      localized: { FR: { title: 'Moitié prix' }, de: { title: 'Halber Preis' } },
    },
  ],
  hold_out: 0.2,
};

function byTag(localized: object = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(localized).map(([key, values]) => [canonicalTag(key), values]));
}

const inPart = (variant: number | undefined, language?: string): Section => ({ variant, language });

describe('language tags', () => {
  const subtags = constantFrom(...'zh fr no nb nn yue iw sr Hant Latn TW CA CN 1994 POSIX'.split(' '));
  const texts = array(subtags, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_'));

  test('language tags are read and looked up as the server does', () => {
    assert(
      property(oneof(texts, string({ maxLength: 12 })), (text) => {
        const tag = canonicalTag(text);
        expect(draft.canonicalTag(text)).toBe(tag);
        if (tag !== undefined) expect(draft.translationsFor(tag)).toEqual(tagsFor(tag));
      }),
    );
  });
});

describe('values where a section leaves a key out', () => {
  test.each([
    [inPart(undefined, 'fr'), 'badge', 1, DEFAULT],
    [inPart(undefined, 'fr-CA'), 'title', 'Soldes', inPart(undefined, 'fr')],
    [inPart(1, 'fr-CA'), 'title', 'Moitié prix', inPart(1, 'fr')],
    [inPart(1, 'fr-CA'), 'alert', 'Tout s’en va.', inPart(undefined, 'fr-CA')],
    [inPart(1, 'de'), 'alert', 'Everything must go.', DEFAULT],
    [inPart(0), 'title', 'Sale', DEFAULT],
    [inPart(0, 'de'), 'title', 'Sale', DEFAULT],
  ])('the empty field of %o for %s shows %j', (section, key, value, from) => {
    expect(inherited(SHOP, section, key)).toEqual({ value, from });
  });

  test('an empty field shows nothing where the next payload removes the key, nor in the default payload', () => {
    expect(inherited(SHOP, inPart(1, 'de'), 'badge')).toBeUndefined();
    expect(inherited(SHOP, DEFAULT, 'title')).toBeUndefined();
  });
});

describe('a change of a section', () => {
  test('a change is written in its own payload, under the language tag as it was written', () => {
    const changed = withValue(SHOP, inPart(undefined, 'fr-CA'), 'title', 'Solde');
    expect(changed['localized']).toEqual({
      ...SHOP.localized,
      fr_CA: { alert: 'Tout s’en va.', title: 'Solde' },
    });
    expect(valuesOf(withValue(SHOP, inPart(0), 'title', 'S'), inPart(0))).toEqual({ title: 'S' });
  });

  test('a change leaves no empty objects behind, except for a language that nothing else has', () => {
    const back = (section: Section, key: string) =>
      withValue(withValue(SHOP, section, key, 'x'), section, key, undefined);
    expect(back(inPart(0), 'title')).toEqual(SHOP);
    expect(back(inPart(0, 'fr'), 'title')).toEqual(SHOP);
    const german = withLanguage({ payload: {} }, inPart(undefined, 'de'));
    expect(german).toEqual({ payload: {}, localized: { de: {} } });
    expect(withoutLanguage(german, inPart(undefined, 'de'))).toEqual({ payload: {} });
  });

  test('a language is removed from every variant, or from one', () => {
    expect(languagesOf(SHOP)).toEqual(['fr', 'fr-CA', 'de']);
    expect(languagesOf(withoutLanguage(SHOP, inPart(undefined, 'fr')))).toEqual(['fr-CA', 'de']);
    const half = withoutLanguage(SHOP, inPart(1, 'fr'));
    expect(valuesOf(half, inPart(1, 'fr'))).toEqual({});
    expect(valuesOf(half, inPart(undefined, 'fr'))).toEqual(SHOP.localized.fr);
  });

  test.each([
    [DEFAULT, 'payload.title'],
    [inPart(undefined, 'fr-CA'), 'localized.fr_CA.title'],
    [inPart(1), 'variants[1].payload.title'],
    [inPart(1, 'fr'), 'variants[1].localized.FR.title'],
  ])('the faults of %o are at %s', (section, path) => {
    expect(pathIn(SHOP, section, 'title')).toBe(path);
    expect(sectionAt(`notification.${path}`)).toEqual(section);
  });

  test('a value is never lost in an object of another form', () => {
    expect(sectionAt('notification.to')).toBeUndefined();
    expect(sectionAt('notification.variants[1].weight')).toBeUndefined();
    expect(languagesOf({ localized: 'fr', variants: 7 })).toEqual([]);
    expect(withValue({ payload: 1 }, DEFAULT, 'title', 'x')).toEqual({ payload: { title: 'x' } });
  });
});

describe('variants', () => {
  test('an A/B test begins with two variants, which have names of their own, and has at most eight', () => {
    let notification = withNewVariant({ payload: {} });
    expect(notification['variants']).toEqual([
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1 },
    ]);
    notification = withNewVariant(withoutVariant(notification, 0));
    while (variantsOf(notification).length < VARIANTS_MAX) notification = withNewVariant(notification);
    expect(
      variantsOf(notification)
        .map(({ name }) => name)
        .join(''),
    ).toBe('BACDEFGH');
    expect(withoutTest({ ...notification, hold_out: 0.1, experiment: 'x' })).toEqual({ payload: {} });
  });

  test('variants share what the hold-out leaves by their weights', () => {
    expect(sharesOf(SHOP)).toEqual({ ofVariants: [0.2, 0.6000000000000001], holdOut: 0.2 });
    const unfinished = { variants: [{ weight: 1 }, { weight: '' }] };
    expect(sharesOf(unfinished)).toEqual({ ofVariants: [undefined, undefined], holdOut: 0 });
  });

  test.each([0, 1])('variant %i, sent alone, has the payloads that the server makes of it', (index) => {
    const alone = parseContent(JSON.stringify(withOnlyVariant(SHOP, index)));
    const { content } = variantContents(parseContent(JSON.stringify(SHOP)))[index] ?? {};
    expect(alone.payload).toEqual(content?.payload);
    expect(byTag(alone.localized)).toEqual(byTag(content?.localized));
  });
});

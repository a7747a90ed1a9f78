import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalTag, openLookUp, tagsFor } from '../../../src/notifications/content/locales.ts';

describe('a device gets the best translation for its locale', () => {
  test.each([
    ['fr_CA', ['fr', 'fr-CA'], 'fr-CA'],
    ['fr_BE', ['fr', 'fr-CA'], 'fr'],
    ['FR-ca', ['fr', 'fr-CA'], 'fr-CA'],
    ['de_AT', ['fr'], undefined],
    ['zh_Hant_TW', ['zh', 'zh-Hant'], 'zh-Hant'],
    ['zh_TW', ['zh', 'zh-Hant'], 'zh-Hant'],
    ['zh_Hant_TW', ['zh', 'zh-TW'], 'zh-TW'],
    ['zh_Hans_TW', ['zh', 'zh-TW'], 'zh'],
    ['zh_CN', ['zh-Hant'], undefined],
    ['sr_RS', ['sr-Latn'], undefined],
    ['de_CH_1996', ['de', 'de-CH'], 'de-CH'],
    ['de_CH_1996', ['de-CH', 'de-CH-1996'], 'de-CH-1996'],
    ['es_MX', ['es', 'es-ES'], 'es'],
    ['iw_IL', ['he'], 'he'],
    ['in_ID', ['id'], 'id'],
    ['nb_NO', ['nn'], 'nn'],
    ['nn_NO', ['nb'], 'nb'],
    ['nn_NO', ['nb-NO'], 'nb-NO'],
    ['no_NO', ['nn', 'nb'], 'nb'],
    ['yue_HK', ['zh-Hans', 'zh-Hant'], 'zh-Hant'],
    ['zh_Hans_HK', ['zh-CN', 'zh-TW'], 'zh-CN'],
    ['zh_HK', ['zh-CN', 'zh-TW'], 'zh-TW'],
    ['zh_SG', ['zh-TW', 'zh-CN'], 'zh-CN'],
    ['zh', ['zh-Hant', 'zh-Hans'], 'zh-Hans'],
    ['en_US_POSIX', ['en-US'], 'en-US'],
    ['en_US_x', ['en'], 'en'],
    ['', ['en'], undefined],
    ['English', ['en'], undefined],
    ['_', ['en'], undefined],
  ])('a device with locale %s, offered %j, gets the best translation: %s', (locale, offered, expected) => {
    expect(openLookUp(new Set(offered))(locale)).toBe(expected);
  });

  test('a device without a locale gets no translation', () => {
    expect(openLookUp(new Set(['en']))(null)).toBeUndefined();
  });
});

const language = fc.constantFrom('de', 'fr', 'zh', 'sr', 'en', 'no', 'nb', 'az', 'haw');
const script = fc.constantFrom(undefined, 'Latn', 'Hant', 'Hans', 'Cyrl');
const region = fc.constantFrom(undefined, 'TW', 'CN', 'CH', 'RS', '419', 'NO');
const variant = fc.constantFrom(undefined, '1996', 'valencia');
const tags = fc
  .tuple(language, script, region, variant)
  .map((subtags) => subtags.filter((subtag) => subtag !== undefined).join('-'))
  .filter((tag) => canonicalTag(tag) !== undefined);

test('a tag is looked up as it is, and then without its last subtags, as RFC 4647 says', () => {
  fc.assert(
    fc.property(tags, (tag) => {
      const found = tagsFor(tag);
      expect(openLookUp(new Set([canonicalTag(tag) ?? '']))(tag.replaceAll('-', '_'))).toBe(
        canonicalTag(tag),
      );
      const subtags = (canonicalTag(tag) ?? '').split('-');
      const places = subtags.map((_, dropped) =>
        found.indexOf(subtags.slice(0, subtags.length - dropped).join('-')),
      );
      const known = places.filter((place) => place >= 0);
      expect(known).toEqual(known.toSorted((left, right) => left - right));
      expect(found).toContain(subtags[0]);
    }),
  );
});

test('the best translation of a device decides its payload alone', () => {
  fc.assert(
    fc.property(tags, fc.uniqueArray(tags, { maxLength: 12 }), (device, keys) => {
      const offered = new Set(keys.map((key) => canonicalTag(key) ?? ''));
      const suited = tagsFor(device).filter((tag) => offered.has(tag));
      const [best] = suited;
      if (best === undefined || best === 'nb') return;
      expect(tagsFor(best).filter((tag) => offered.has(tag))).toEqual(suited);
    }),
  );
});

test('any text may be a locale', () => {
  fc.assert(
    fc.property(fc.string(), (locale) => {
      expect(() => tagsFor(locale)).not.toThrow();
    }),
  );
});

test('many different locales are looked up without being remembered', () => {
  const lookUp = openLookUp(new Set(['de']));
  for (let number = 0; number < 5_000; number++) expect(lookUp(`de_DE_a${number}`)).toBe('de');
});

/** What phones send as their locale is stored, found by filters, and leads to the translation that their users read. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { localeSpellings } from '../../src/locale/spellings.ts';
import { joinedLocale, shownLocale, storedLocale } from '../../src/locale/stored-locale.ts';
import { canonicalFilters } from '../../src/filters/canonical.ts';
import { canonicalTag, openLookUp } from '../../src/notifications/content/locales.ts';
import { useApi } from '../http/api.ts';
import { OFFERED, sentLocales } from './phones.ts';

const api = useApi();
const lookUp = openLookUp(new Set(OFFERED.map((tag) => canonicalTag(tag) ?? '')));

test('the table has at least sixty locales', () => {
  expect(new Set(sentLocales.map(({ sent }) => sent)).size).toBeGreaterThanOrEqual(60);
});

test.each(sentLocales)(
  'the locale $sent is stored as $locale, and its device gets $translation',
  (expected) => {
    const stored = storedLocale(expected.sent);
    if (expected.locale === undefined) {
      expect(stored).toBeUndefined();
      return;
    }
    expect(shownLocale(stored ?? null)).toEqual({
      locale: expected.locale,
      script: expected.script ?? null,
    });
    expect(lookUp(stored ?? null)).toBe(expected.translation);
    expect(localeSpellings(expected.locale)).toContain(stored);
  },
);

/** The examples of RFC 5646, appendix A, but for those that only name a language. A private or unknown script is left out. */
test.each<[tag: string, locale: string | null, script: string | null]>([
  ['i-enochian', null, null],
  ['zh-Hant', 'zh', 'Hant'],
  ['zh-Hans', 'zh', 'Hans'],
  ['sr-Cyrl', 'sr', 'Cyrl'],
  ['sr-Latn', 'sr', 'Latn'],
  ['zh-cmn-Hans-CN', 'zh_CN', null],
  ['cmn-Hans-CN', 'zh_CN', null],
  ['zh-yue-HK', 'yue_HK', null],
  ['yue-HK', 'yue_HK', null],
  ['zh-Hans-CN', 'zh_CN', null],
  ['sr-Latn-RS', 'sr_RS', 'Latn'],
  ['sl-rozaj', 'sl', null],
  ['sl-rozaj-biske', 'sl', null],
  ['sl-nedis', 'sl', null],
  ['de-CH-1901', 'de_CH', null],
  ['sl-IT-nedis', 'sl_IT', null],
  ['hy-Latn-IT-arevela', 'hy_IT', null],
  ['de-DE', 'de_DE', null],
  ['en-US', 'en_US', null],
  ['es-419', 'es_419', null],
  ['de-CH-x-phonebk', 'de_CH', null],
  ['az-Arab-x-AZE-derbend', 'az', 'Arab'],
  ['x-whatever', null, null],
  ['qaa-Qaaa-QM-x-southern', 'qaa_QM', null],
  ['de-Qaaa', 'de', null],
  ['sr-Latn-QM', 'sr_QM', 'Latn'],
  ['sr-Qaaa-RS', 'sr_RS', null],
  ['en-US-u-islamcal', 'en_US', null],
  ['zh-CN-a-myext-x-private', 'zh_CN', null],
  ['en-a-myext-b-another', 'en', null],
  ['de-419-DE', 'de_419', null],
  ['a-DE', null, null],
  ['ar-a-aaa-b-bbb-a-ccc', 'ar', null],
])('the tag %s is read as the locale %s with the script %s', (tag, locale, script) => {
  expect(shownLocale(storedLocale(tag) ?? null)).toEqual({ locale, script });
});

test('each locale registers its device, is found by the locale in the reply, and can be sent back', async () => {
  const user = randomUUID();
  const byLocale = Map.groupBy(sentLocales, ({ locale }) => locale);
  for (const { sent, locale, script } of sentLocales) {
    const device = { platform: 'Android', push_token: `fcm:${randomUUID()}`, user_id: user, locale: sent };
    const reply = await api.call('POST /v6/devices', { body: { device } });
    expect(reply).toMatchObject({
      status: 201,
      body: { device: { locale: locale ?? null, script: script ?? null } },
    });
    const ignored = [{ path: 'device.locale', message: expect.stringContaining('must be a language') }];
    expect(Object(reply.body).ignored).toEqual(locale === undefined ? ignored : undefined);
    const read = Object(reply.body).device;
    const put = await api.call(`PUT /v6/devices/${read.id}`, { body: { device: read } });
    expect(put).toMatchObject({
      status: 200,
      body: { device: { locale: read.locale, script: read.script } },
    });
  }
  for (const [locale, those] of byLocale) {
    if (locale === undefined) continue;
    const filters = [
      { name: 'locale', criteria: [locale] },
      { name: 'user_id', criteria: [user] },
    ];
    const { body } = await api.call('POST /v6/audiences/count', { body: { filters } });
    expect([locale, Object(body).device_count]).toEqual([locale, those.length]);
  }
});

describe('a filter on a locale', () => {
  test.each([
    ['en_US', ['en_US']],
    ['in_ID', ['in_ID', 'id_ID']],
    ['id_ID', ['id_ID', 'in_ID']],
    ['iw', ['iw', 'he']],
    ['yi', ['yi', 'ji']],
    ['nb_NO', ['nb_NO', 'no_NO']],
    ['no_NO', ['no_NO', 'nb_NO']],
    ['nn_NO', ['nn_NO']],
    ['tl_PH', ['tl_PH', 'fil_PH']],
    ['zh_HK', ['zh_HK', 'zh_Hans_HK', 'zh_Hant_HK']],
    ['zh_Hans_HK', ['zh_Hans_HK']],
    ['zh_Hans_CN', ['zh_Hans_CN', 'zh_CN']],
    ['zh', ['zh', 'zh_Hans', 'zh_Hant']],
    ['sr_Cyrl_RS', ['sr_Cyrl_RS', 'sr_RS']],
    ['fr_fr', ['fr_fr']],
    ['en-GB', ['en-GB']],
    ['ca_ES_VALENCIA', ['ca_ES_VALENCIA']],
    ['', ['']],
  ])('a filter on the locale %s finds what is stored as %j', (criterion, stored) => {
    expect(new Set(localeSpellings(criterion))).toEqual(new Set(stored));
  });

  test('a filter on a locale finds devices that an earlier release stored, by the old and by the new code', async () => {
    const user = randomUUID();
    for (const locale of ['in_ID', 'zh_Hant_TW']) {
      const device = { platform: 'Android', push_token: `fcm:${randomUUID()}`, user_id: user };
      const { body } = await api.call('POST /v6/devices', { body: { device } });
      const { id } = Object(body).device;
      await api.db.updateTable('devices').set({ locale }).where('id', '=', id).execute();
    }
    const count = async (criterion: string, not_filter = false): Promise<unknown> => {
      const filters = [
        { name: 'locale', criteria: [criterion], not_filter },
        { name: 'user_id', criteria: [user] },
      ];
      return Object((await api.call('POST /v6/audiences/count', { body: { filters } })).body).device_count;
    };
    const criteria = ['in_ID', 'id_ID', 'zh_TW', 'zh_Hant_TW', 'zh_Hans_TW'];
    expect(await Promise.all(criteria.map(async (one) => count(one)))).toEqual([1, 1, 1, 1, 0]);
    expect(await Promise.all(criteria.map(async (one) => count(one, true)))).toEqual([1, 1, 1, 1, 2]);
  });

  test('a filter on a locale is kept as it was written, so its audience stays the same', () => {
    const parsed = parseFilters([{ name: 'locale', criteria: ['in_ID', 'zh_HK'] }], 'filters');
    expect(parsed.ok && JSON.stringify(canonicalFilters(parsed.filters))).toBe(
      '[{"name":"locale","criteria":["in_ID","zh_HK"],"not_filter":false}]',
    );
  });
});

describe('the stored form', () => {
  const subtag = fc.oneof(
    fc.constantFrom('Hans', 'Latn', 'Cyrl', 'GB', 'CN', '419', 'POSIX', '', 'u', 'NY', 'valencia'),
    fc.stringMatching(/^[A-Za-z0-9]{0,8}$/),
  );
  const anyLocale = fc
    .tuple(
      fc.oneof(
        fc.constantFrom('zh', 'sr', 'en', 'no', 'iw', 'und', 'sh'),
        fc.stringMatching(/^[A-Za-z]{2,3}$/),
      ),
      fc.array(fc.tuple(fc.constantFrom('-', '_'), subtag), { maxLength: 4 }),
      fc.constantFrom('', '.UTF-8', '@rg=gbzzzz', '#Hant', '_#Latn_u-nu-thai'),
    )
    .map(([language, rest, end]) => `${language}${rest.flat().join('')}${end}`);

  test('the stored form of a stored form is itself, is shown and sent back unchanged, and is found by itself', () => {
    fc.assert(
      fc.property(anyLocale, (sent) => {
        const stored = storedLocale(sent);
        if (stored === undefined) return;
        expect(storedLocale(stored)).toBe(stored);
        const { locale, script } = shownLocale(stored);
        expect(locale).toMatch(/^[a-z]{2,3}(?:_(?:[A-Z]{2}|\d{3}))?$/);
        expect(script === null ? locale : joinedLocale(locale ?? '', script)).toBe(stored);
        expect(localeSpellings(stored)).toContain(stored);
        expect(localeSpellings(locale ?? '')).toContain(stored);
      }),
    );
  });

  test('the stored form of any text is made without an error', () => {
    fc.assert(
      fc.property(fc.string(), (sent) => {
        expect(() => storedLocale(sent)).not.toThrow();
      }),
    );
  });
});

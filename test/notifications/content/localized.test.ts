import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { localizedFaults, localizedSchema } from '../../../src/notifications/content/localized.ts';
import { tagsFor } from '../../../src/notifications/content/locales.ts';
import { perDeviceOf } from '../../../src/notifications/content/per-device.ts';
import { versionsOf } from '../../../src/notifications/content/payload-versions.ts';
import { parseContent } from '../../../src/notifications/message.ts';
import { faultsOf, judge } from '../../../src/api/parse.ts';

const ID = '6f3f1c52-0a1f-4a43-9d56-0d1c2b3a4f50';

function contentOf(notification: object) {
  return parseContent(JSON.stringify({ to: '*', ...notification }));
}

function payloadFor(locale: string | null, notification: object): object | undefined {
  return perDeviceOf(contentOf(notification), ID)?.choose([locale]).version.payload;
}

test('a key comes from the best translation that has it, and null removes it', () => {
  const notification = {
    payload: { title: 'Order', alert: 'On its way', image: 'https://example.com/en.png', url: 'app://4711' },
    localized: {
      fr: { title: 'Commande', alert: 'En route', image: null },
      'fr-CA': { alert: 'Elle arrive', url: 'app://ca' },
    },
  };
  expect(payloadFor('fr_CA', notification)).toEqual({
    title: 'Commande',
    alert: 'Elle arrive',
    url: 'app://ca',
  });
  expect(payloadFor('fr_BE', notification)).toEqual({
    title: 'Commande',
    alert: 'En route',
    url: 'app://4711',
  });
  for (const locale of ['de_DE', null, 'nonsense']) {
    expect(payloadFor(locale, notification)).toEqual(notification.payload);
  }
});

test('the priority follows the texts of the translation, unless the notification sets it', () => {
  const notification = { payload: { x: 1 }, localized: { fr: { alert: 'Bonjour' } } };
  const choice = perDeviceOf(contentOf(notification), ID)?.choose(['fr_FR']);
  expect(choice?.version.priority).toBe('high');
  expect(perDeviceOf(contentOf(notification), ID)?.choose(['de_DE']).version.priority).toBe('normal');
  const low = perDeviceOf(contentOf({ ...notification, priority: 'normal' }), ID)?.choose(['fr_FR']);
  expect(low?.version.priority).toBe('normal');
});

test('a notification without translations has no decision to make', () => {
  expect(perDeviceOf(contentOf({ payload: { alert: 'Hello' } }), ID)).toBeUndefined();
});

test('a device of any locale gets a version that creation has checked, with the keys that suit it best', () => {
  const locale = fc.constantFrom('', ...'zh_TW zh_Hant_TW zh_CN nb_NO nn_NO fr_CA fr_FR xx_XX'.split(' '));
  const tag = fc.constantFrom('zh', 'zh-Hant', 'zh-TW', 'no', 'nb', 'fr', 'fr-CA', 'de');
  const change = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.string()), { minKeys: 1 });
  fc.assert(
    fc.property(locale, fc.dictionary(tag, change, { minKeys: 1 }), (device, localized) => {
      const content = contentOf({ payload: { a: 'default', x: 1 }, localized });
      const version = perDeviceOf(content, ID)?.choose([device]).version;
      expect(versionsOf(content).map(({ payload }) => payload)).toContainEqual(version?.payload);
      if (device.startsWith('n')) return; // `no` and `nb` each stand in for the other
      const layers = tagsFor(device).map((suits) => localized[suits]);
      for (const key of ['a', 'b', 'c']) {
        const set = layers.map((layer) => layer?.[key]).find((value) => value !== undefined);
        const expected = set === undefined && key === 'a' ? 'default' : (set ?? undefined);
        expect(version?.payload[key]).toBe(expected);
      }
    }),
  );
});

test.each([
  [{ english: { alert: 'x' } }, ['notification.localized.english']],
  [{ 'fr-CA': { alert: 'x' }, fr_ca: { alert: 'y' } }, ['notification.localized.fr_ca']],
  [{ fr: {} }, ['notification.localized.fr']],
  [{ fr: { alert: 1, title: true } }, ['notification.localized.fr.alert', 'notification.localized.fr.title']],
  [{ fr: { aps: {} } }, ['notification.localized.fr.aps']],
  [{ fr: { aps: null } }, ['notification.localized.fr.aps']],
  [{ fr: { badge: -1 } }, ['notification.localized.fr.badge']],
  [{ fr: { alert: null } }, ['notification.localized.fr']],
  [{ fr: { loc_args: ['x'] } }, ['notification.localized.fr.loc_args']],
])('each fault of the translations %j is named with locale and key', (localized, paths) => {
  const at = 'notification.localized';
  const parsed = judge(localizedSchema, localized);
  const faults = parsed.success
    ? localizedFaults({ alert: 'x' }, parsed.data, at)
    : faultsOf(parsed.error, at);
  expect(faults.map(({ path }) => path)).toEqual(paths);
});

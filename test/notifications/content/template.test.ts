import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PushMessage } from '../../../src/gateways/gateway.ts';
import type { Payload } from '../../../src/gateways/payload.ts';
import { parseJson } from '../../../src/json/lossless.ts';
import { VALUE_CHARACTERS_MAX } from '../../../src/notifications/content/template/engine.ts';
import { shortened } from '../../../src/notifications/content/template/shorten.ts';
import { compileTemplate } from '../../../src/notifications/content/template/template.ts';
import { refuseTooLarge } from '../../../src/notifications/gateway-limits.ts';

type Custom = Readonly<Record<string, unknown>>;

function render(payload: Payload, custom: Custom = {}, device: Custom = {}) {
  const { template, faults } = compileTemplate(payload, 'payload');
  expect(faults).toEqual([]);
  return template.render((fact) => ('custom' in fact ? custom[fact.custom] : device[fact.column]));
}

function alertOf(alert: string, custom?: Custom, device?: Custom): string | undefined {
  return render({ alert }, custom, device).payload.alert;
}

describe('values of the device', () => {
  test.each([
    ['Hi {{ custom.first_name }}!', 'Hi Zoë!'],
    ['{{ custom["first name"] }}', 'Mia'],
    ['{{custom.points}} points', '1250 points'],
    ['{{ custom.big }}', '12345678901234567890'],
    ['{{ custom.vip }}', 'true'],
    ['{{ custom.teams }}', 'Reds, Blues'],
    ['{{ custom.teams | join: " & " }}', 'Reds & Blues'],
    ['{{ custom.teams[1] }} {{ custom.teams.first }} {{ custom.teams.size }}', 'Blues Reds 2'],
    ['{{ device.locale }} {{ device.user_id }}', 'fr_CA user-17'],
    ['{{ custom.none | default: "there" }}', 'there'],
    ['{{ custom.none | default: custom.first_name | upcase }}', 'ZOË'],
    ['{{ custom.points | plus: 50 }}', '1300'],
    ['{{ custom.renewed | date: "%d.%m.%Y" }}', '24.12.2026'],
    ['{{ custom.renewed | date: "%H:%M", device.time_zone }}', '19:30'],
    ['app://x?q={{ custom["first name"] | append: " &" | url_encode }}', 'app://x?q=Mia+%26'],
    ['<b>{{ custom.html }}</b> & "quotes"', '<b><i>&amp;</i></b> & "quotes"'],
    ['a {{- custom.first_name -}} b', 'aZoëb'],
    ['{{ "{{" }} }}', '{{ }}'],
    ['nothing here }} %}', 'nothing here }} %}'],
  ])('the text %s gets the values of the device', (alert, expected) => {
    const custom = {
      first_name: 'Zoë',
      'first name': 'Mia',
      points: 1250,
      big: parseJson('12345678901234567890'),
      vip: true,
      teams: ['Reds', 'Blues'],
      renewed: '2026-12-24T18:30:00.000Z',
      html: '<i>&amp;</i>',
    };
    const device = { locale: 'fr_CA', user_id: 'user-17', time_zone: 'Europe/Berlin' };
    expect(alertOf(alert, custom, device)).toBe(expected);
  });

  test('values of the device are put into every text but those that name something of the app', () => {
    const written = '{{ custom.x }}';
    const payload = {
      title: written,
      subtitle: written,
      image: `https://example.com/${written}.png`,
      loc_key: 'KEY',
      loc_args: ['a', written],
      order: { [written]: [{ name: written }, 1, null, true] },
      sound: written,
      category: written,
      collapse_key: written,
      _channel_id: written,
    };
    expect(render(payload, { x: 'Ö' })).toEqual({
      isComplete: true,
      payload: {
        ...payload,
        title: 'Ö',
        subtitle: 'Ö',
        image: 'https://example.com/Ö.png',
        loc_args: ['a', 'Ö'],
        order: { [written]: [{ name: 'Ö' }, 1, null, true] },
      },
    });
  });

  test.each([
    ['a missing value', '{{ custom.x }}', {}],
    ['an empty one', '{{ custom.x }}', { x: '' }],
    ['an element that the list does not have', '{{ custom.x[3] }}', { x: ['a'] }],
    ['a filter that cannot use it', '{{ custom.x | date: "%Y", "Nowhere/Land" }}', { x: '2026-01-01' }],
    ['a property of the text itself', '{{ custom.x.constructor }}', { x: 'a' }],
  ])('a text is without %s, which is reported', (_what, alert, custom) => {
    expect(render({ alert: `<${alert}>` }, custom)).toEqual({ payload: { alert: '<>' }, isComplete: false });
  });

  test('a template reads nothing that is not an attribute', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(alertOf(`{{ custom.${name} }}`)).toBe('');
    }
  });
});

describe('a value is cut', () => {
  test('a value is cut after 100 characters, or after those of a truncate at the end', () => {
    const custom = { x: 'a'.repeat(255) };
    expect(alertOf('{{ custom.x }}', custom)).toBe(`${'a'.repeat(VALUE_CHARACTERS_MAX - 1)}…`);
    expect(alertOf('{{ custom.x | truncate: 200 }}', custom)).toBe(`${'a'.repeat(199)}…`);
    expect(alertOf('{{ custom.x | truncate: 5, "..." }}', custom)).toBe('aa...');
    expect(alertOf('{{ custom.x | truncate: 200 | upcase }}', custom)).toHaveLength(VALUE_CHARACTERS_MAX);
  });

  test('a value is cut without cutting a character in two', () => {
    const family = '👨‍👩‍👧';
    expect(shortened(`${family}${family}`, 9)).toBe(`${family}…`);
    expect(shortened('e\u0301'.repeat(3), 4)).toBe('e\u0301…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(40), (text, charactersMax) => {
        const short = shortened(text, charactersMax);
        expect(Array.from(short).length).toBeLessThanOrEqual(charactersMax);
        expect(short.isWellFormed()).toBe(text.isWellFormed());
        if (Array.from(text).length <= charactersMax) expect(short).toBe(text);
        else if (charactersMax > 0) expect(text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });
});

function messageOf(payload: Payload): PushMessage {
  return {
    notificationId: '0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa',
    payload,
    priority: 'high',
    timeToLiveSeconds: 60,
    dueAt: new Date(),
    android: { icon: null, color: null },
  };
}

function isTooLarge(payload: Payload): boolean {
  try {
    refuseTooLarge(messageOf(payload));
    return false;
  } catch {
    return true;
  }
}

test('no values make a payload larger than the longest that creation measures', () => {
  const pieces = fc.constantFrom(
    'Hello ',
    'é',
    '{{ custom.a }}',
    '{{ custom.b | truncate: 30 }}',
    '{{ device.user_id | upcase }}',
    '{{ custom.a | append: custom.b }}',
    '{{ custom.list | join: "; " }}',
    '{{ custom.a | url_encode }}',
    '{{ custom.none | default: custom.b }}',
    '{{ custom.a | slice: 0, 70 }}',
  );
  const text = fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join(''));
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 255 }),
    fc.constantFrom('🔔'.repeat(255), '"\\'.repeat(127), '\u0001'.repeat(255), '\ud800'.repeat(200)),
  );
  fc.assert(
    fc.property(text, text, text, value, value, fc.array(value), (title, alert, own, a, b, list) => {
      const { template } = compileTemplate({ title, alert, own: { deep: [own] } }, 'payload');
      if (isTooLarge(template.longest)) return;
      const custom: Custom = { a, b, list };
      const rendered = template.render((fact) => ('custom' in fact ? custom[fact.custom] : a));
      expect(isTooLarge(rendered.payload)).toBe(false);
    }),
  );
});

test.each([
  ['{% for x in y %}{% endfor %}', 'line 1, column 1: tags, {% … %}, are not allowed'],
  ['one\n{% include "/etc/passwd" %}', 'line 2, column 1: tags'],
  ['a {% raw %}x{% endraw %}', 'line 1, column 3: tags'],
  ['Hi {{ custom.name | upcase', 'line 1, column 4: output'],
  ['{{ custom.name | shout }}', 'line 1, column 1: there is no filter shout; there are default, upcase'],
  ['{{ custom.a | replace: "a", "b" }}', 'no filter replace'],
  ['{{ }}', 'line 1, column 4: invalid value'],
  ['Hi {{ first_name }}', 'line 1, column 4: first_name is not known'],
  ['{{ device.push_token }}', 'device has no attribute push_token; it has id, platform'],
  ['{{ device }}', 'device has no attribute'],
  ['{{ custom }}', 'custom is not known'],
  ['{{ custom[device.locale] }}', 'brackets contain a text or a number'],
  ['{{ custom.a and custom.b }}', 'an output is one value'],
  ['{{ (1..9) }}', 'a value is device.<attribute>'],
  ['{{ custom.a | default: "x", allow_false: true }}', 'no named arguments'],
  ['{{ custom.a | append: secret }}', 'secret is not known'],
  ['x'.repeat(4_090) + '{{ custom.a }}', 'at most 4096 characters'],
])('a fault is named with its position in the text: %s', (alert, message) => {
  const { faults } = compileTemplate({ x: { y: [alert] } }, 'notification.payload');
  expect(faults).toEqual([
    { path: 'notification.payload.x.y[0]', message: expect.stringContaining(message) },
  ]);
  expect(faults[0]?.message).not.toContain('>>');
});

test('any text is a template or has a fault', () => {
  const pieces = fc.constantFrom('{{', '}}', '{%', '%}', 'custom.a', ...Array.from('| "\'[].:-x'));
  fc.assert(
    fc.property(
      fc.array(pieces).map((parts) => parts.join('')),
      (alert) => {
        const { template, faults } = compileTemplate({ alert }, 'payload');
        if (faults.length === 0) template.render(() => 'value');
      },
    ),
  );
});

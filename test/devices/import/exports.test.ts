/** The exports of other services, by the rules of devices. Their fields are tested in packages/import-formats. */
import { convertExport, emptyExportReport, type ServiceName, serviceNames } from '@carillon/import-formats';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  channel,
  csvOf,
  endpoint,
  installation,
  ndjson,
  row,
  type Row,
} from '../../../packages/import-formats/test/exports.ts';
import { parseRegistration } from '../../../src/devices/device-schema.ts';
import { deviceRules } from '../../../src/devices/import/device-rules.ts';
import { parseLine } from '../../../src/devices/import/device-line.ts';
import { chunksOf } from './lines.ts';

interface Converted {
  read: number;
  devices: unknown[];
  /** The fields that the devices lack. */
  lacks: string[];
  leftOut: string[];
}

async function convert(name: ServiceName, file: string): Promise<Converted> {
  const report = emptyExportReport();
  const devices: unknown[] = [];
  for await (const lines of convertExport(name, chunksOf(file), report, deviceRules)) {
    devices.push(...lines.map(({ bytes }) => parseLine(bytes)));
  }
  const leftOut = [...report.leftOut.values()].flatMap(({ reason, count }) =>
    Array<string>(count).fill(reason),
  );
  return {
    read: report.read,
    devices,
    lacks: [...report.notMapped.values()].map(({ field }) => field),
    leftOut,
  };
}

describe('A device of an export', () => {
  test.each<[string, ServiceName, string, object]>([
    [
      'a locale in the stored form',
      'onesignal',
      csvOf({ ...row, language: 'zh-Hans', country: 'CN' }),
      { locale: 'zh_CN' },
    ],
    [
      'all digits of a number in a tag',
      'onesignal',
      csvOf({ ...row, tags: '{"big":12345678901234567890}' }),
      { custom: { big: { type: 'string', value: '12345678901234567890' } } },
    ],
    [
      'a number as registrations store it, whatever its digits',
      'parse',
      '{"deviceType":"android","deviceToken":"a-token","ratio":0.570000000000000001}',
      { custom: { ratio: { type: 'float', value: 0.57 } } },
    ],
  ])('a device of an export has %s', async (_what, name, file, device) => {
    expect((await convert(name, file)).devices).toEqual([expect.objectContaining(device)]);
  });

  test.each<[string, ServiceName, string, string]>([
    [
      'a tag that is too long',
      'onesignal',
      csvOf({ ...row, tags: JSON.stringify({ bio: 'x'.repeat(256) }) }),
      'custom.bio',
    ],
    ['a time zone that is none', 'onesignal', csvOf({ ...row, timezone_id: 'GMT+3' }), 'time_zone'],
    ['an empty tag', 'parse', ndjson(installation), 'tags'],
  ])('a device of an export lacks %s, which is reported', async (_what, name, file, field) => {
    const { devices, lacks } = await convert(name, file);
    expect(devices).toHaveLength(1);
    expect(lacks).toContain(field);
  });

  test('a device of an export keeps the first 50 custom attributes and the first 100 tags', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `name${index}`);
    const tags = Array.from({ length: 120 }, (_, index) => `tag${index}`);
    const custom = Object.fromEntries(
      names.slice(0, 50).map((name) => [name, { type: 'string', value: ['x'] }]),
    );
    const many = Object.fromEntries(names.map((name) => [name, ['x']]));
    expect(await convert('pinpoint', ndjson({ ...endpoint, Attributes: many }))).toMatchObject({
      devices: [{ custom }],
      lacks: expect.arrayContaining(['custom']),
    });
    expect(await convert('airship', ndjson({ ...channel, tags }))).toMatchObject({
      devices: [{ tags: tags.slice(0, 100) }],
      lacks: expect.arrayContaining(['tags']),
    });
  });
});

test.each<[string, ServiceName, string, string]>([
  [
    'with no token of APNs',
    'onesignal',
    csvOf({ ...row, identifier: 'abc' }),
    'push_token must be an even number of hexadecimal digits for iOS, from 64 to 200',
  ],
  [
    'with a key twice in an object',
    'parse',
    `${ndjson(installation)}{"deviceType":"android","deviceToken":"a","deviceToken":"b"}`,
    'the record cannot be read',
  ],
  [
    'with a text that cannot be stored',
    'parse',
    `${ndjson(installation)}{"deviceType":"android","deviceToken":"a","plan":"\\u0000"}`,
    'the record cannot be read',
  ],
])('a record %s is left out', async (_what, name, file, reason) => {
  expect((await convert(name, file)).leftOut).toEqual([reason]);
});

const examples: Readonly<Record<Exclude<ServiceName, 'onesignal'>, object>> = {
  parse: installation,
  pinpoint: endpoint,
  airship: channel,
};

/** Files whose first record is good, and whose second has odd values in some known fields, and unknown fields. */
function filesOf(name: ServiceName): fc.Arbitrary<string> {
  if (name === 'onesignal') {
    const cell = fc.oneof(fc.string({ maxLength: 300 }), fc.constantFrom(...Object.values(row)));
    const odd = fc.record(Object.fromEntries(Object.keys(row).map((column) => [column, cell])), {
      requiredKeys: [],
    });
    return odd.map((cells: Partial<Row>) => csvOf(row, { ...row, ...cells }));
  }
  const example = examples[name];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ maxLength: 300 }),
    fc.constantFrom<unknown>(...Object.values(example)),
  );
  const key = fc.oneof(fc.constantFrom(...Object.keys(example)), fc.string());
  return fc.dictionary(key, value, { maxKeys: 12 }).map((odd) => ndjson(example, { ...example, ...odd }));
}

test.each(serviceNames)(
  'the device of any record of %s is valid, or the record is left out for a reason',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(filesOf(name), async (file) => {
        const { read, devices, leftOut } = await convert(name, file);
        for (const device of devices) parseRegistration(device);
        expect(devices.length + leftOut.length).toBe(read);
        expect(read).toBe(2);
        expect(leftOut).not.toContain('');
      }),
    );
  },
);

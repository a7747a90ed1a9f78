import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { convertExport } from '../src/convert.ts';
import { emptyExportReport, listed } from '../src/export-report.ts';
import type { ServiceName } from '../src/services.ts';
import {
  channel,
  chunksOf,
  csvOf,
  endpoint,
  installation,
  mongoInstallation,
  ndjson,
  noRules,
  row,
} from './exports.ts';

interface Converted {
  /** The numbers of the lines that became devices. */
  lines: number[];
  read: number;
  leftOut: object[];
  notMapped: object[];
}

async function convert(name: ServiceName, file: string | Uint8Array, chunkBytes = 100): Promise<Converted> {
  const report = emptyExportReport();
  const lines: number[] = [];
  for await (const page of convertExport(name, chunksOf(file, chunkBytes), report, noRules)) {
    lines.push(...page.map(({ number }) => number));
  }
  return { lines, read: report.read, leftOut: listed(report.leftOut), notMapped: listed(report.notMapped) };
}

describe('An export', () => {
  test.each<[string, ServiceName, string, number[]]>([
    ['CSV of OneSignal', 'onesignal', csvOf(row, row), [2, 3]],
    [
      'JSON of Parse Server, as the REST API returns it',
      'parse',
      JSON.stringify({ results: [installation, installation] }),
      [1, 2],
    ],
    [
      'JSON of Parse Server, as mongoexport writes lines',
      'parse',
      ndjson(mongoInstallation, mongoInstallation),
      [1, 2],
    ],
    [
      'JSON of Parse Server, as mongoexport writes an array',
      'parse',
      JSON.stringify([mongoInstallation]),
      [1],
    ],
    ['JSON of Pinpoint', 'pinpoint', ndjson(endpoint, endpoint), [1, 2]],
    [
      'JSON of Airship, page after page',
      'airship',
      ndjson(
        { ok: true, channels: [channel, channel] },
        { channels: [channel], next_page: 'https://go.airship.com/api/channels?start=x' },
      ),
      [1, 2, 3],
    ],
    [
      'JSON of Airship, indented',
      'airship',
      JSON.stringify({ ok: true, channels: [channel] }, undefined, 2),
      [4],
    ],
  ])('%s is read, compressed or not', async (_what, name, file, lines) => {
    const plain = await convert(name, file);
    expect(plain).toMatchObject({ lines, read: lines.length, leftOut: [] });
    expect(await convert(name, gzipSync(file))).toEqual(plain);
  });

  test('the summary names each reason with its number and the first five lines', async () => {
    const mail = { ...row, device_type: '11' };
    expect(await convert('onesignal', csvOf(mail, row, mail, mail, mail, mail, mail))).toMatchObject({
      read: 7,
      lines: [3],
      leftOut: [{ reason: 'not a push to iOS or Android: e-mail', count: 6, lines: [2, 4, 5, 6, 7] }],
    });
  });

  test('the summary counts each field that devices lack', async () => {
    expect((await convert('pinpoint', ndjson(endpoint, endpoint))).notMapped).toContainEqual({
      field: 'Location.City',
      reason: 'devices have no such attribute',
      count: 2,
    });
  });

  test('the summary lists no more than 1,000 names of fields', async () => {
    const odd = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`field${index}`, { a: 1 }]));
    const { notMapped } = await convert('parse', ndjson({ ...installation, ...odd }));
    expect(notMapped).toHaveLength(1_001);
    expect(notMapped[0]).toMatchObject({ field: 'other fields' });
  });

  test('an export is read on after a record that cannot be read', async () => {
    const [header = '', good = ''] = csvOf(row).split('\n');
    expect(await convert('onesignal', `${header}\n${good}\nonly,three,cells\n${good}\n`)).toMatchObject({
      lines: [2, 4],
      leftOut: [{ reason: 'the record cannot be read', count: 1, lines: [3] }],
    });
    expect(
      await convert('pinpoint', `${ndjson(endpoint)}{"ChannelType":\n${ndjson(endpoint)}`),
    ).toMatchObject({
      lines: [1, 3],
      leftOut: [{ reason: 'the record cannot be read', count: 1, lines: [2] }],
    });
  });

  test('an export without records has no devices', async () => {
    expect(await convert('onesignal', csvOf())).toMatchObject({ lines: [], read: 0 });
    expect(await convert('airship', '{"ok":true,"channels":[]}')).toMatchObject({ lines: [], read: 0 });
  });
});

async function usersOf(name: ServiceName, file: Uint8Array, chunkBytes: number): Promise<unknown[]> {
  const users: unknown[] = [];
  const chunks = chunksOf(file, chunkBytes);
  for await (const page of convertExport(name, chunks, emptyExportReport(), noRules)) {
    users.push(...page.map(({ bytes }) => Object(JSON.parse(String(bytes))).user_id));
  }
  return users;
}

describe('The text of a file', () => {
  const user = 'müller-Ω-🙂';
  const csv = csvOf({ ...row, external_user_id: user });
  const json = ndjson({ ...installation, user: { className: '_User', objectId: user } });
  const reason =
    'the record is not UTF-8: convert the file, for instance by "iconv -f WINDOWS-1252 -t UTF-8"';

  test.each<[string, (text: string) => Buffer]>([
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-16LE without a mark', (text) => Buffer.from(text, 'utf16le')],
    ['UTF-16BE without a mark', (text) => Buffer.from(text, 'utf16le').swap16()],
    ['lines that end in CRLF', (text) => Buffer.from(text.replaceAll('\n', '\r\n'))],
  ])('the text of a file may be %s, compressed or not, in chunks of any size', async (_what, encoded) => {
    for (const chunkBytes of [1, 3, 100_000]) {
      expect(await usersOf('onesignal', encoded(csv), chunkBytes)).toEqual([user]);
      expect(await usersOf('onesignal', gzipSync(encoded(csv)), chunkBytes)).toEqual([user]);
      expect(await usersOf('parse', encoded(json), chunkBytes)).toEqual([user]);
    }
  });

  test.each<[ServiceName, string]>([
    ['onesignal', csvOf(row, { ...row, external_user_id: 'müller' }, row)],
    ['parse', ndjson(installation, { ...installation, appVersion: 'für' }, installation)],
    ['pinpoint', ndjson(endpoint, { ...endpoint, Id: 'ü' }, endpoint)],
    [
      'airship',
      ndjson({ channels: [channel] }, { channels: [{ ...channel, alias: 'ü' }] }, { channels: [channel] }),
    ],
  ])(
    'an export of %s in Latin-1 damages no device: the records that are not ASCII are left out',
    async (name, text) => {
      const { lines, leftOut } = await convert(name, Buffer.from(text, 'latin1'));
      expect(lines).toHaveLength(2);
      expect(leftOut).toEqual([{ reason, count: 1, lines: [name === 'onesignal' ? 3 : 2] }]);
    },
  );

  test('a cell may have quotes, commas and line breaks; a quote out of place costs its record', async () => {
    const odd = { ...row, external_user_id: 'a "b", c\nd' };
    expect(await usersOf('onesignal', Buffer.from(csvOf(odd)), 7)).toEqual([odd.external_user_id]);
    const [header = '', good = ''] = csvOf(row).split('\n');
    const { lines, leftOut } = await convert('onesignal', `${header}\n${good}\nx"y,${good}\n${good}\n`);
    expect([lines.length, leftOut.length]).toEqual([2, 1]);
  });
});

test.each<[string, ServiceName, string | Uint8Array, RegExp]>([
  [
    'another service in JSON',
    'pinpoint',
    ndjson(channel),
    /^this is not an export of Amazon Pinpoint: its first record has no ChannelType; it looks like an export of Airship: use --from airship$/,
  ],
  [
    'CSV read as JSON',
    'parse',
    csvOf(row),
    /^this is not an export of Parse Server: its first record is not a JSON object; see docs\/migrate\.md/,
  ],
  [
    'JSON read as CSV',
    'onesignal',
    ndjson(endpoint),
    /^this is not an export of OneSignal: its header has no identifier, device_type, invalid_identifier; see/,
  ],
  [
    'a CSV file with semicolons',
    'onesignal',
    csvOf(row).replaceAll(',', ';'),
    /^its columns are separated by semicolons, .*: save it with commas/,
  ],
  [
    'a CSV file for other purposes',
    'onesignal',
    'external_id,email\n1,a@example.com\n',
    /its header has no identifier/,
  ],
  [
    'a file that is cut off',
    'pinpoint',
    gzipSync(ndjson(endpoint)).subarray(0, 60),
    /unexpected end of file/,
  ],
])('a file of another format is refused with what to do: %s', async (_what, name, file, sentence) => {
  const message = await convert(name, file).then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Error ? error.message : 'no error'),
  );
  expect(message).toMatch(sentence);
  expect(message).not.toContain('a@example.com');
});

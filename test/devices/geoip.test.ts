import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type GeoIp, openGeoIp } from '../../src/devices/address/geoip.ts';
import { collectObservations } from '../support/database.ts';
import { mmdb } from '../support/mmdb.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';

const dir = useTemporaryDir();
const london = { latitude: 51.5142, longitude: -0.0931 };
const database = mmdb({
  '81.2.69.0/24': { country: { iso_code: 'GB', names: { en: 'United Kingdom' } }, location: london },
  '89.160.20.112/28': { country: { iso_code: 'SE' } },
  '2a02:cf40::/29': { country: { iso_code: 'NO' }, location: { latitude: 62, longitude: 10 } },
  '2.125.160.0/24': { country: { iso_code: 'gb' }, location: { latitude: 91, longitude: 0 } },
  '216.160.83.0/24': { country: 'US', registered_country: { iso_code: 'US' } },
});

async function open(bytes = database) {
  const file = path.join(dir.path, `${crypto.randomUUID()}.mmdb`);
  await writeFile(file, bytes);
  const { observe, seen } = collectObservations();
  const geoip: GeoIp = await openGeoIp(file, observe);
  onTestFinished(async () => geoip.close());
  return { geoip, file, seen };
}

test.each([
  ['81.2.69.1', { country: 'GB', location: london }],
  ['::ffff:81.2.69.1', { country: 'GB', location: london }],
  ['89.160.20.112', { country: 'SE' }],
  ['2a02:cf40::1', { country: 'NO', location: { latitude: 62, longitude: 10 } }],
])('the address %s is found', async (address, addressLocation) => {
  expect((await open()).geoip.locate(address)).toEqual(addressLocation);
});

test.each([
  ['an address that is not in the database', '89.160.20.1'],
  ['a private one', '10.0.0.1'],
  ['a private one by IPv6', 'fd00::1'],
  ['this machine', '127.0.0.1'],
  ['this machine by IPv6', '::1'],
  ['a malformed country and location', '2.125.160.1'],
  ['a malformed record of a country', '216.160.83.1'],
  ['text that is not an address', 'unknown'],
  ['an address with a port', '81.2.69.1:443'],
  ['nothing', ''],
])('no location is returned for %s', async (_what, address) => {
  expect((await open()).geoip.locate(address)).toEqual({});
});

describe('the file', () => {
  test('the file is read again when it is replaced', async () => {
    const { geoip, file, seen } = await open();
    const next = `${file}.next`;
    await writeFile(next, mmdb({ '81.2.69.0/24': { country: { iso_code: 'FR' } } }));
    await rename(next, file);
    await geoip.refresh();
    expect(geoip.locate('81.2.69.1')).toEqual({ country: 'FR' });
    const loaded = { kind: 'geoip_loaded', databaseType: 'Test-City', builtAt: '2026-11-18T11:06:40.000Z' };
    expect(seen).toEqual([loaded, loaded]);
  });

  test('a file that becomes unreadable is logged once, and the data in memory stays in use', async () => {
    const { geoip, file, seen } = await open();
    await writeFile(file, 'half a download');
    await geoip.refresh();
    await geoip.refresh();
    expect(geoip.locate('81.2.69.1')).toMatchObject({ country: 'GB' });
    expect(seen.map(({ kind }) => kind)).toEqual(['geoip_loaded', 'geoip_unreadable']);
    await writeFile(file, mmdb({ '81.2.69.0/24': { country: { iso_code: 'FR' } } }));
    await geoip.refresh();
    expect(geoip.locate('81.2.69.1')).toEqual({ country: 'FR' });
  });

  test.each([
    ['of networks', { autonomous_system_number: 1 }],
    ['of another form', { country: 'GB', country_name: 'United Kingdom', lat: '51.5', lng: '-0.1' }],
    ['of countries where networks are registered', { registered_country: { iso_code: 'GB' } }],
  ])('a database %s is refused: it would locate nothing', async (_what, data) => {
    await expect(open(mmdb({ '1.0.0.0/24': data, '81.2.69.0/24': data }))).rejects.toThrow(
      'a City or Country database is needed',
    );
  });

  test('a database of networks as a replacement is logged, and the data in memory stays in use', async () => {
    const { geoip, file, seen } = await open();
    await writeFile(file, mmdb({ '81.2.69.0/24': { autonomous_system_number: 1 } }));
    await geoip.refresh();
    expect(geoip.locate('81.2.69.1')).toMatchObject({ country: 'GB' });
    expect(seen.map(({ kind }) => kind)).toEqual(['geoip_loaded', 'geoip_unreadable']);
  });

  test('a file may hold networks of IPv6 alone', async () => {
    const { geoip } = await open(mmdb({ '2a02:cf40::/29': { country: { iso_code: 'NO' } } }));
    expect(geoip.locate('2a02:cf40::1')).toEqual({ country: 'NO' });
  });

  test('a file that is not a database is refused', async () => {
    await expect(open(Buffer.from('address,country\n'))).rejects.toThrow();
    await expect(openGeoIp(path.join(dir.path, 'nowhere.mmdb'), () => undefined)).rejects.toThrow('ENOENT');
  });
});

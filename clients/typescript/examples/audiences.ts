/** The sections of docs/api.md about audiences. */
import { type Carillon, pages } from '@carillon/client';
import { show } from './show.ts';

export async function askAboutAudiences(
  carillon: Carillon,
  audienceId: string,
  deviceId: string,
): Promise<void> {
  show('Audiences > Read one', await carillon.readAudience(audienceId));
  show('Audiences > List them', await carillon.listAudiences({ per: 2 }));

  const visits = { name: 'custom.integer.visits', criteria: [{ gte: 10 }] };
  const named = await carillon.createAudience({ audience: { name: 'Frequent visitors', filters: [visits] } });
  show('Audiences > Name one', named);
  show('Audiences > Delete one', await carillon.deleteAudience(named.audience.id));

  const tagged = { name: 'tags', criteria: ['beta', 'news'] };
  const french = { name: 'locale', criteria: ['fr_FR'], not_filter: true };
  show('Audiences > Count without storing', await carillon.countAudience({ filters: [tagged] }));
  show('Audiences > Count each filter', await carillon.countEachFilter({ filters: [tagged, french] }));

  const ids: string[] = [];
  for await (const { devices } of pages((at) => carillon.listAudienceDevices(audienceId, at))) {
    ids.push(...devices.map(({ id }) => id));
  }
  show('Audiences > List its devices', ids);
  show('Audiences > Ask why a device is in or out', await carillon.explainDevice(audienceId, deviceId));
}

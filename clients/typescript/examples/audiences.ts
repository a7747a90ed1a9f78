/** The sections of docs/api.md about audiences. */
import { type Carillon, pages } from '@carillon/client';
import { show } from './show.ts';

export async function askAboutAudiences(
  carillon: Carillon,
  audienceId: string,
  deviceId: string,
): Promise<void> {
  const params = { path: { audience_id: audienceId } };
  show('Audiences > Read one', await carillon.get('/v6/audiences/{audience_id}', { params }));
  show('Audiences > List them', await carillon.get('/v6/audiences', { params: { query: { per: 2 } } }));

  const named = await carillon.post('/v6/audiences', {
    body: {
      audience: {
        name: 'Frequent visitors',
        filters: [{ name: 'custom.integer.visits', criteria: [{ gte: 10 }] }],
      },
    },
  });
  show('Audiences > Name one', named);
  const deleted = await carillon.delete('/v6/audiences/{audience_id}', {
    params: { path: { audience_id: named.audience.id } },
  });
  show('Audiences > Delete one', deleted);

  const tagged = { name: 'tags', criteria: ['beta', 'news'] };
  const french = { name: 'locale', criteria: ['fr_FR'], not_filter: true };
  show(
    'Audiences > Count without storing',
    await carillon.post('/v6/audiences/count', { body: { filters: [tagged] } }),
  );
  show(
    'Audiences > Count each filter',
    await carillon.post('/v6/audiences/count/filters', { body: { filters: [tagged, french] } }),
  );

  const ids: string[] = [];
  for await (const { devices } of pages((query) =>
    carillon.get('/v6/audiences/{audience_id}/devices', { params: { ...params, query } }),
  )) {
    ids.push(...devices.map(({ id }) => id));
  }
  show('Audiences > List its devices', ids);
  show(
    'Audiences > Ask why a device is in or out',
    await carillon.get('/v6/audiences/{audience_id}/devices/{device_id}', {
      params: { path: { audience_id: audienceId, device_id: deviceId } },
    }),
  );
}

/** The sections of docs/api.md for administrators, about the app, and about the health of the server. */
import type { Carillon } from '@carillon/client';
import { show } from './show.ts';

export async function workAsAdmin(carillon: Carillon): Promise<void> {
  const made = await carillon.post('/v6/keys', {
    body: { key: { name: 'back end', scopes: ['read', 'write'] } },
  });
  show('Keys and credentials > Create an API key', made);
  const { routes } = await carillon.get('/v6/credentials');
  show('Keys and credentials > Read credentials and routes', routes);

  const action = 'devices.imported';
  show('Audit log', await carillon.get('/v6/audit', { params: { query: { action, per: 1 } } }));
  let entries = 0;
  for await (const entry of carillon.exportAudit()) entries += entry.action === action ? 1 : 0;
  show('Audit log', entries);
}

export async function readTheApp(carillon: Carillon): Promise<void> {
  const query = { days: 1, time_zone: 'Europe/London' };
  const { overview } = await carillon.get('/v6/overview', { params: { query } });
  show('The app > Overview', overview.attention);

  show('Health and metrics', await carillon.get('/healthz'));
  show('Health and metrics', await carillon.get('/readyz'));
  const metrics = await carillon.get('/metrics', { parseAs: 'text' });
  show('Health and metrics', metrics.includes('carillon_pushes_total'));
}

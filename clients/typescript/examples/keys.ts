/** The sections of docs/api.md for administrators and about the server: calls for which the client has no method. */
import type { Carillon } from '@carillon/client';
import { show } from './show.ts';

export async function workAsAdmin(carillon: Carillon): Promise<void> {
  const key = { name: 'back end', scopes: ['read', 'write'] };
  show(
    'Keys and credentials > Create an API key',
    await carillon.call('POST', '/v6/keys', { body: { key } }),
  );
  const credentials = await carillon.call('GET', '/v6/credentials');
  show('Keys and credentials > Read credentials and routes', credentials);
  const query = { action: 'devices.imported', per: 1 };
  show('Audit log', await carillon.call('GET', '/v6/audit', { query }));
}

export async function readTheApp(carillon: Carillon): Promise<void> {
  const query = { days: 1, time_zone: 'Europe/London' };
  show('The app > Overview', await carillon.call('GET', '/v6/overview', { query }));
  show('The app > Status', await carillon.call('GET', '/v6/status'));
  show('Health and metrics', await carillon.call('GET', '/healthz'));
  show('Health and metrics', await carillon.call('GET', '/readyz'));
  show(
    'Health and metrics',
    String(await carillon.call('GET', '/metrics')).includes('carillon_pushes_total'),
  );
}

/** The same devices in DuckDB, a columnar database: an upper bound for the speed of counting on these cores. */
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Client } from 'pg';

export interface Columnar {
  count(condition: string): Promise<number>;
  close(): void;
}

/** DuckDB's columns: type, and the expression in Postgres. */
const custom = (name: string): string => `custom #>> '{${name},value}'`;
/** `9.18.2` as 9018002. */
const versionNumber = (column: string): string =>
  [1_000_000, 1_000, 1]
    .map(
      (unit, index) =>
        `${unit} * coalesce(nullif(split_part(${column}, '.', ${index + 1}), ''), '0')::integer`,
    )
    .join(' + ');
const COLUMNS: Readonly<Record<string, { type: string; from: string }>> = {
  id: { type: 'varchar', from: 'id' },
  created_at: { type: 'timestamp', from: `created_at at time zone 'UTC'` },
  registered_at: { type: 'timestamp', from: `registered_at at time zone 'UTC'` },
  locale: { type: 'varchar', from: 'locale' },
  time_zone: { type: 'varchar', from: 'time_zone' },
  badge: { type: 'integer', from: 'badge' },
  os_name: { type: 'varchar', from: 'os_name' },
  app_version: { type: 'varchar', from: 'app_version' },
  os_version_key: { type: 'integer', from: versionNumber('os_version') },
  app_version_key: { type: 'integer', from: versionNumber('app_version') },
  sdk_version_key: { type: 'integer', from: versionNumber('sdk_version') },
  country: { type: 'varchar', from: 'country' },
  marketing_name: { type: 'varchar', from: 'marketing_name' },
  user_id: { type: 'varchar', from: 'user_id' },
  user_email: { type: 'varchar', from: 'user_email' },
  development: { type: 'boolean', from: 'development' },
  notifications_allowed: { type: 'varchar', from: 'notifications_allowed' },
  tags: { type: 'varchar[]', from: `'[' || array_to_string(tags, ',') || ']'` },
  latitude: { type: 'double', from: 'coalesce(sdk_latitude, latitude)' },
  longitude: { type: 'double', from: 'coalesce(sdk_longitude, longitude)' },
  sdk_latitude: { type: 'double', from: 'sdk_latitude' },
  sdk_longitude: { type: 'double', from: 'sdk_longitude' },
  plan: { type: 'varchar', from: custom('plan') },
  city: { type: 'varchar', from: custom('city') },
  team: { type: 'varchar', from: custom('team') },
  interests: { type: 'varchar[]', from: `replace(${custom('interests')}, '"', '')` },
  age: { type: 'bigint', from: custom('age') },
  orders: { type: 'bigint', from: custom('orders') },
  points: { type: 'bigint', from: custom('points') },
  revenue: { type: 'double', from: custom('revenue') },
  rating: { type: 'double', from: custom('rating') },
  last_purchase: { type: 'timestamp', from: `replace(${custom('last_purchase')}, 'Z', '')` },
  premium: { type: 'boolean', from: custom('premium') },
  newsletter: { type: 'boolean', from: custom('newsletter') },
};

/**
 * @param dir an empty directory on this machine, to which Postgres exports the rows
 * @param threads the number of cores that Postgres has
 */
export async function openColumnar(client: Client, dir: string, threads: number): Promise<Columnar> {
  await chmod(dir, 0o777);
  const select = Object.entries(COLUMNS).map(([name, { from }]) => `${from} as ${name}`);
  const types = Object.entries(COLUMNS).map(([name, { type }]) => `'${name}': '${type}'`);
  const files = { devices: path.join(dir, 'devices.csv'), events: path.join(dir, 'events.csv') };
  await client.query(`copy (select ${select.join(', ')} from devices) to '${files.devices}' (format csv)`);
  await client.query(
    `copy (select device_id, name, count, last_happened_at at time zone 'UTC' from device_events)
     to '${files.events}' (format csv)`,
  );
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
  const connection = await instance.connect();
  await connection.run(`create table devices as ${readCsv(files.devices, types.join(', '))}`);
  const eventTypes = `'device_id': 'varchar', 'name': 'varchar', 'count': 'bigint', 'last_happened_at': 'timestamp'`;
  await connection.run(`create table events as ${readCsv(files.events, eventTypes)}`);
  return {
    count: async (condition) => {
      const result = await connection.runAndReadAll(`select count(*) from devices where ${condition}`);
      return Number(result.getRows()[0]?.[0]);
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function readCsv(file: string, columns: string): string {
  return `select * from read_csv('${file}', header = false, delim = ',', quote = '"', columns = {${columns}})`;
}

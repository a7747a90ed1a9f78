/** The size on disk of what is stored about devices. */
import type { Client } from 'pg';
import { z } from 'zod';

const sizes = z.array(z.object({ part: z.string(), bytes: z.coerce.number() }));

/** Bytes by purpose. */
export async function readSizes(client: Client): Promise<z.infer<typeof sizes>> {
  const { rows } = await client.query(
    `select 'devices' as part, pg_table_size('devices') as bytes
     union all select 'devices, indexes', pg_indexes_size('devices')
     union all select 'device_events, indexes included', pg_total_relation_size('device_events')
     union all select 'device_targets', pg_table_size('device_targets')
     union all select 'device_targets, indexes', pg_indexes_size('device_targets')
     union all select 'device_registrations, indexes included', pg_total_relation_size('device_registrations')
     union all select 'bitmaps, indexes included',
       pg_total_relation_size('count_bitmap_columns') + pg_total_relation_size('count_bitmap_lists')
         + pg_total_relation_size('count_bitmap_blocks')`,
  );
  return sizes.parse(rows);
}

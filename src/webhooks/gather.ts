/**
 * Merges events about unregistered devices, because a bulk notification finds dead tokens a few at a time. The first event that
 * is sent also gets the devices of unsent events, up to 500 in all, and those events are deleted.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { TakenDelivery } from './delivery-store.ts';

/** About 20 KB, which every receiver accepts; the same limit as in devices/tokens/retire-store.ts. */
const DEVICES_PER_EVENT = 500;
const EVENTS_AT_ONCE = 500;

/** @returns the delivery to send, in this and in every later attempt */
export async function gatherDevices(db: Kysely<Database>, delivery: TakenDelivery): Promise<TakenDelivery> {
  const { appId, webhookId, id, type, attempt } = delivery;
  // An event that was sent before must not change, because the receiver may have it.
  if (type !== 'device.unregistered' || attempt > 1) return delivery;
  const { rows } = await sql<{ data: unknown }>`
    with others as (
      select id, due_at, data -> 'device_ids' as ids
      from webhook_deliveries
      where app_id = ${appId} and webhook_id = ${webhookId}
        and state = 'waiting' and type = 'device.unregistered' and attempt = 0
      order by due_at
      limit ${EVENTS_AT_ONCE}
      for update skip locked
    ), counted as (
      select id, ids, sum(jsonb_array_length(ids)) over (order by due_at, id) as devices from others
    ), gathered as (
      delete from webhook_deliveries as delivery
      using counted, webhook_deliveries as own
      where delivery.app_id = ${appId} and delivery.webhook_id = ${webhookId} and delivery.id = counted.id
        and own.app_id = ${appId} and own.webhook_id = ${webhookId} and own.id = ${id}
        and counted.devices + jsonb_array_length(own.data -> 'device_ids') <= ${DEVICES_PER_EVENT}
      returning counted.ids
    ), added as (
      select coalesce(jsonb_agg(device_id), '[]') as ids
      from gathered, jsonb_array_elements(ids) as device_id
    )
    update webhook_deliveries
    set data = jsonb_build_object('device_ids', (data -> 'device_ids') || added.ids)
    from added
    where app_id = ${appId} and webhook_id = ${webhookId} and id = ${id}
    returning data`.execute(db);
  return { ...delivery, data: rows[0]?.data ?? delivery.data };
}

/** The types of the tables about receipts, and of what only pushes to Apple need: its ids, named tokens, Live Activities. */
import type { Generated } from 'kysely';

export interface ReceiptsUncountedTable {
  app_id: string;
  notification_id: string;
  number: Generated<number>;
  stored_at: Date;
  due_at: Date;
  receipts: Buffer;
}

export interface ReceiptMarksTable {
  app_id: string;
  notification_id: string;
  slice: number;
  received: Buffer;
  shown: Buffer;
}

export interface ReceiptCountsTable {
  app_id: string;
  notification_id: string;
  asked: number;
  received: number;
  shown: number;
  complete: boolean;
}

export interface ApnsUniqueIdsTable {
  app_id: string;
  notification_id: string;
  device_id: string;
  unique_id: string;
}

export interface NamedTokensTable {
  app_id: string;
  type: string;
  name: string;
  device_id: string;
  push_token: string;
  registered_at: Date;
  presented_at: Date;
}

export interface ActivityPushesTable {
  app_id: string;
  activity_id: string;
  event: 'update' | 'end';
  created_at: Date;
  notification_id: string;
  device_id: string | null;
}

/** The types of the tables about the work of delivery. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

export interface DeliveryTables {
  delivery_slices: DeliverySlicesTable;
  delivery_progress: DeliveryProgressTable;
  notification_troubles: NotificationTroublesTable;
  worker_pulses: WorkerPulsesTable;
}

export interface WorkerPulsesTable {
  id: string;
  seen_at: Date;
  troubles: JSONColumnType<object[]>;
}

export interface DeliverySlicesTable {
  app_id: string;
  notification_id: string;
  number: number;
  first_id: string;
  last_id: string;
  state: Generated<'waiting' | 'leased' | 'done'>;
  not_before: Date;
  attempt: Generated<number>;
  lease_until: Date | null;
  outcomes: Buffer | null;
  finished_at: Date | null;
  waits_for: Generated<string[] | null>;
  tally: ColumnType<unknown, string | undefined, string>;
  holder: Generated<string | null>;
  deaths: Generated<number>;
  trying: Generated<string | null>;
  poison: Generated<string[]>;
  failures: Generated<number>;
  gave_up: Generated<string | null>;
}

export interface DeliveryProgressTable {
  app_id: string;
  notification_id: string;
  number: number;
  attempt: number;
  part: number;
  outcomes: Buffer;
}

export interface NotificationTroublesTable {
  app_id: string;
  notification_id: string;
  planner: string | null;
  planning_at: Date | null;
  deaths: Generated<number>;
  failures: Generated<number>;
  since: Date | null;
  failed_at: Date | null;
  message: string | null;
  not_before: Date | null;
  gave_up: Generated<boolean>;
}

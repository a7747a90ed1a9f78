/** The types of the tables about the work of delivery: slices, receipts, and what only pushes to Apple need. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

export interface DeliveryTables {
  delivery_slices: {
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
  };
  delivery_progress: {
    app_id: string;
    notification_id: string;
    number: number;
    attempt: number;
    part: number;
    outcomes: Buffer;
  };
  notification_troubles: {
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
  };
  worker_pulses: {
    id: string;
    seen_at: Date;
    troubles: JSONColumnType<object[]>;
  };
  named_tokens: {
    app_id: string;
    type: string;
    name: string;
    device_id: string;
    push_token: string;
    registered_at: Date;
    presented_at: Date;
  };
  activity_pushes: {
    app_id: string;
    activity_id: string;
    event: 'update' | 'end';
    created_at: Date;
    notification_id: string;
    device_id: string | null;
  };
  receipts_uncounted: {
    app_id: string;
    notification_id: string;
    number: Generated<number>;
    stored_at: Date;
    due_at: Date;
    receipts: Buffer;
  };
  receipt_marks: {
    app_id: string;
    notification_id: string;
    slice: number;
    received: Buffer;
    shown: Buffer;
  };
  receipt_counts: {
    app_id: string;
    notification_id: string;
    asked: number;
    received: number;
    shown: number;
    complete: boolean;
  };
  apns_unique_ids: {
    app_id: string;
    notification_id: string;
    device_id: string;
    unique_id: string;
  };
}

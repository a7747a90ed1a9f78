/** The types of the tables that only the console needs: its users, and what it counts. */
import type { ColumnType } from 'kysely';

export interface ConsoleTables {
  console_users: {
    id: string;
    name: string;
    password_hash: string | null;
    issuer: string | null;
    subject: string | null;
    created_at: Date;
  };
  console_roles: {
    app_id: string;
    user_id: string;
    role: 'viewer' | 'sender' | 'admin';
  };
  console_sessions: {
    id: string;
    user_id: string;
    hash: Buffer;
    user_agent: string | null;
    created_at: Date;
    last_used_at: Date;
    expires_at: Date;
  };
  console_invites: {
    hash: Buffer;
    user_id: string;
    sets_password: boolean;
    created_at: Date;
    expires_at: Date;
  };
  console_second_factors: {
    user_id: string;
    sealed_secret: Buffer;
    created_at: Date;
    confirmed_at: ColumnType<Date | null, undefined, Date>;
    last_step: ColumnType<number, undefined, number>;
    recovery_hashes: ColumnType<Buffer[], undefined, Buffer[]>;
  };
  hourly_counts: {
    app_id: string;
    hour: Date;
    notifications: number;
    devices: number;
    accepted: number;
    rejected: number;
    unregistered: number;
    no_token: number;
    ambiguous: number;
    opens: number;
  };
  hourly_counts_until: {
    app_id: string;
    until: Date;
  };
  daily_devices: {
    app_id: string;
    /** In UTC. `pg` would return a `Date` at midnight in the zone of the process, so it is read as text. */
    day: ColumnType<never, string, never>;
    counted_at: Date;
    took_ms: number;
    devices: number;
    unreachable: number;
    active: number;
    groups: ColumnType<unknown, string | null, string | null>;
  };
}

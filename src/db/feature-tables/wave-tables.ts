/** The types of the tables of waves; `migrations/0008-moment.sql` says what each column means. */
import type { Generated } from 'kysely';

/** The value of `devices.quiet_hours`; `src/devices/device-schema.ts` checks it. */
export interface DeviceQuietHours {
  from: string;
  to: string;
  /** If left out, every day. */
  days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[];
}

export interface WaveTables {
  notification_waves: {
    app_id: string;
    notification_id: string;
    wave: number;
    due_at: Date;
    action: 'send' | 'drop' | 'expire';
    reason: string | null;
    spread_ms: number;
    zones: string[];
    is_rest: boolean;
    devices: number;
    without_zone: number;
    own_hours: Generated<string[]>;
    by_own_hours: Generated<number>;
    first_slice: number;
    slices: number;
    state: 'waiting' | 'started' | 'over';
  };
  device_moment_changes: {
    app_id: string;
    device_id: string;
    number: Generated<number>;
    time_zone: string | null;
    quiet_hours: unknown;
    written_in: string;
    changed_at: Generated<Date>;
  };
}

export type NotificationWavesTable = WaveTables['notification_waves'];

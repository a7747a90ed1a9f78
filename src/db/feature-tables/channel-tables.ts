/** The types of the tables about Apple's broadcast channels. */
import type { ColumnType, Generated } from 'kysely';

export interface ChannelTables {
  channels: {
    app_id: string;
    id: string;
    environment: 'production' | 'sandbox';
    key: string;
    storage: 'none' | 'latest';
    state: 'open' | 'ended' | 'deleting';
    apns_channel_id: string;
    created_at: Date;
    used_at: Date;
    ended_at: Generated<Date | null>;
    last_timestamp: Generated<number>;
    last_sent_at: Generated<Date | null>;
  };
  channel_attempts: {
    app_id: string;
    id: string;
    environment: 'production' | 'sandbox';
    begun_at: Date;
  };
  channel_looks: {
    app_id: string;
    environment: 'production' | 'sandbox';
    looked_at: Date;
    others_since: Date | null;
  };
  channel_broadcasts: {
    app_id: string;
    channel_id: string;
    id: string;
    event: 'update' | 'end';
    aps: ColumnType<unknown, string, string>;
    priority: number;
    timestamp: number | null;
    state: Generated<'waiting' | 'sending' | 'sent' | 'replaced' | 'rejected' | 'expired'>;
    created_at: Date;
    expires_at: Date;
    due_at: Date;
    attempt: Generated<number>;
    reason: Generated<string | null>;
    ended_at: Generated<Date | null>;
  };
}

export type ChannelsTable = ChannelTables['channels'];

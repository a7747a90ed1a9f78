/** The parts of the API's replies that these screens show. */
import type { FilterJson } from '../../filter-builder/language.ts';

export interface DeviceCount {
  device_count: number;
  reachable_count: number;
}

export interface Listed {
  id: string;
  name: string;
  kind: 'everyone' | 'on_the_fly' | 'named';
  created_at: string;
  last_used_at: string;
  /** Null if they are too long for a list. */
  filters: readonly FilterJson[] | null;
}

export interface Stored extends DeviceCount {
  id: string;
  name: string;
  created_at: string;
  filters: readonly FilterJson[];
}

export interface FilterCounts extends DeviceCount {
  filters: readonly { name: string; device_count: number | null; left_count: number | null }[];
  counted_at: string;
}

export interface Use {
  id: string;
  state: 'scheduled' | 'sending';
  due_at: string;
}

export interface Explained {
  matches: boolean;
  filters: readonly ExplainedFilter[];
}

export interface ExplainedFilter {
  name: string;
  matches: boolean;
  not_filter: boolean;
  value: unknown;
  criteria: readonly { criterion: unknown; matches: boolean }[];
  criteria_count: number;
}

export interface SampleDevice {
  id: string;
  platform: string;
  push_token: string | null;
  marketing_name: string | null;
  os_version: string | null;
  app_version: string | null;
  locale: string | null;
  user_id: string | null;
  registered_at: string;
}

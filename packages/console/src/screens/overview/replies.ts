/** The reply of `GET /v6/overview`. */

export interface Day {
  /** `2026-11-24` */
  day: string;
  notifications: number;
  devices: number;
  accepted: number;
  rejected: number;
  unregistered: number;
  no_token: number;
  ambiguous: number;
  opens: number;
  app_devices: number | null;
}

type Platform = 'iOS' | 'Android';

export interface System {
  platform: Platform;
  os_name: string | null;
  os_version: string | null;
  devices: number;
}

export interface AppVersion {
  platform: Platform;
  app_version: string | null;
  devices: number;
}

export interface Devices {
  counted_at: string;
  total: number;
  reachable: number;
  active: number;
  by_platform: readonly { platform: Platform; devices: number }[];
  by_system: readonly System[];
  by_app_version: readonly AppVersion[];
}

export interface Attention {
  code:
    | 'credentials_missing'
    | 'route_paused'
    | 'pushes_rejected'
    | 'tokens_dead'
    | 'webhook_failing'
    | 'notifications_troubled';
  message: string;
  route: string | null;
  webhook_id: string | null;
}

export interface Overview {
  days_counted_at: string | null;
  days: readonly Day[];
  devices: Devices | null;
  attention: readonly Attention[];
}

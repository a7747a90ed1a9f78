/** The parts of a push that phones show, as `POST /v6/notifications/preview` reads them from the compiled messages. */

export interface IosTray {
  is_shown: boolean;
  title: string | null;
  subtitle: string | null;
  body: string | null;
  image: string | null;
  badge: number | null;
  sound: string | null;
  /** Whether it sounds even if the phone is muted. */
  is_critical: boolean;
  category: string | null;
  interruption_level: 'passive' | 'active' | 'time-sensitive' | 'critical';
  relevance_score: number | null;
  is_mutable: boolean;
  wakes_app: boolean;
  /** `alert`, `background`, or another of Apple's types. */
  push_type: string;
  priority: number;
  /** Null for Live Activities and most other push types. */
  collapse_id: string | null;
  /** ISO 8601; null: Apple tries once. */
  expires_at: string | null;
}

export interface AndroidTray {
  drawn_by: 'app' | 'android';
  is_shown: boolean;
  title: string | null;
  body: string | null;
  image: string | null;
  icon: string | null;
  /** `#rrggbb`. */
  color: string | null;
  sound: string | null;
  category: string | null;
  channel_id: string | null;
  priority: 'high' | 'normal';
  collapse_id: string;
  time_to_live_seconds: number;
}

interface GatewayPreview<Tray> {
  bytes: number;
  bytes_left: number;
  /** The exact JSON. */
  body: string;
  tray: Tray;
}

/** The requests that each gateway gets. */
export interface Requests {
  apns: GatewayPreview<IosTray> & { headers: Readonly<Record<string, string>> };
  /** Null if it is sent to tokens that only iOS has. */
  fcm: (GatewayPreview<AndroidTray> & { body_fid: string }) | null;
}

/** One of the payloads of a notification. */
export interface Version extends Requests {
  /** The name of the variant; null if the notification is no A/B test. */
  variant: string | null;
  /** A canonical language tag; null: the default. */
  locale: string | null;
}

/** The version that one device would get. */
export interface DevicePreview extends Version {
  id: string;
  variant_by: 'experiment' | 'request' | 'none' | null;
  /** Why nothing would be sent to it. */
  dropped: 'missing_attribute' | 'held_out' | null;
}

export interface CompiledPreview extends Requests {
  notification_id: string;
  due_at: string;
  bytes_max: number;
  /** The versions of variants and languages other than the first. */
  versions: readonly Version[];
  variants: readonly { name: string; share: number }[];
  /** The name of the first variant. */
  variant: string | null;
  device: DevicePreview | null;
}

export interface Refusal {
  status: number;
  code: string;
  error: string;
  details?: readonly { path: string; message: string }[];
}

/** The reply of the preview call. */
export interface Preview {
  refusal: Refusal | null;
  compiled: CompiledPreview | null;
}

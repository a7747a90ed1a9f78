import type { OutcomeCounts, Outcome } from '../../kit/outcome-bar.tsx';

/** The API's form of a device with its outcome. */
export interface Delivery {
  device_id: string;
  outcome: Outcome;
  reason: string | null;
  /** The variant of an A/B test; null if the notification is no A/B test. */
  variant: string | null;
  at: string;
  platform: 'iOS' | 'Android' | null;
  app_version: string | null;
}

export interface DeliveryPage {
  deliveries: readonly Delivery[];
  meta: { cursor: string | null };
}

/** The fields of the notification that the screen shows. */
export interface Searched extends OutcomeCounts {
  id: string;
  state: string;
  devices: number;
  created_at: string;
  notification: {
    payload?: { title?: unknown; alert?: unknown };
    variants?: readonly { name: string }[];
    hold_out?: number;
  };
}

/** The groups of an A/B test; empty if the notification is none. */
export function groupsOf({ notification: { variants, hold_out: holdOut } }: Searched): readonly string[] {
  if (variants === undefined) return [];
  const names = variants.map(({ name }) => name);
  return holdOut === undefined ? names : [...names, 'hold_out'];
}

/** 'A', 'hold-out' */
export function groupLabel(name: string): string {
  return name === 'hold_out' ? 'hold-out' : name;
}

import type { IconName } from '../kit/icon.tsx';

/** A line of the palette: something to open, or something to do. */
export interface Entry {
  /** Unique among all entries that are shown at once. */
  id: string;
  icon: IconName;
  title: string;
  /** What tells it from others with the same title. */
  detail?: string;
  /** An address relative to `/console/`, or what to do. */
  target: string | (() => void);
}

/** Entries of one kind, with their heading. */
export interface Section {
  label: string;
  entries: readonly Entry[];
  /** Why it was not searched, or not completely. */
  note?: string;
}

/** A wave: the devices of a notification that are due at the same moment, or left out for the same reason. */
import type { LeftOutReason } from '../../notifications/moment/moment.ts';

/** The devices of a wave: every device that at least one of these selects. */
export interface WaveDevices {
  /** Devices with one of these time zones. */
  zones: readonly string[];
  /** If set, devices with a time zone that no wave lists, or without one. */
  isRest: boolean;
  /**
   * Devices whose time zone and own quiet hours have one of these keys (`quiet_hours_key`): they are due at another moment
   * than the others in their time zone.
   */
  ownHours: readonly string[];
}

export interface Wave extends WaveDevices {
  dueAt: Date;
  action: 'send' | 'drop' | 'expire';
  reason: LeftOutReason | null;
  /** Its slices begin within this time. */
  spreadMs: number;
  /** Counted by planning. */
  devices: number;
  /** How many of them have no known time zone. */
  withoutZone: number;
  /** How many of them are in this wave because of their own quiet hours. */
  byOwnHours: number;
}

/** A wave with the numbers of its slices. */
export interface CutWave extends Wave {
  wave: number;
  firstSlice: number;
  slices: number;
}

/** The moment of a slice; the slices of a wave are spread evenly. */
export function sliceMoment({ dueAt, spreadMs, firstSlice, slices }: CutWave, number: number): Date {
  return new Date(dueAt.getTime() + Math.floor((spreadMs * (number - firstSlice)) / slices));
}

/** Choices of the fields of this step. */
import type { Refusal } from '../../../tray/preview-reply.ts';
import type { JsonObject } from '../draft/members.ts';

export interface PartOfWhen {
  notification: JsonObject;
  refusal: Refusal | undefined;
}

interface Option {
  value: string;
  label: string;
}

/** The options, and what the JSON has if it is none of them. */
export function withPresent(options: readonly Option[], value: string, label = value): readonly Option[] {
  return options.some((option) => option.value === value) ? options : [...options, { value, label }];
}

/** The zone of the reader, in which times of the form are. */
export function readersZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** What can apply to a device without a time zone: the rule, or a zone, the reader's own first. */
export function zoneOptions(rule: Option): Option[] {
  const zones = [...new Set([readersZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return [rule, ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))];
}

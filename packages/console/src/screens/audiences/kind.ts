/** Audiences have names that people gave them, or such that the server made up. */
import { filtersWords } from '../../filter-builder/words.ts';
import type { FilterJson } from '../../filter-builder/language.ts';

interface Stored {
  id: string;
  name: string;
  filters: readonly FilterJson[] | null;
}

/** Whether a person named it. Only such an audience can be changed; the others belong to notifications. */
export function isNamed({ id, name, filters }: Stored): boolean {
  const isEveryone = filters?.length === 0;
  return !isEveryone && name !== `api_audience_${id.replaceAll('-', '').slice(-16)}`;
}

/** @returns its name; for one that a notification made, its filters in words */
export function nameOf(audience: Stored): string {
  if (isNamed(audience) || audience.filters?.length === 0) return audience.name;
  return audience.filters === null ? 'Many criteria' : filtersWords(audience.filters);
}

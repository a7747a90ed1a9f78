/** Audiences that are identified by their filters: equal filters are the same audience, even in concurrent calls. */
import type { AudiencesTable } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { canonicalFilters, fingerprintOf } from '../filters/canonical.ts';
import type { Filter } from '../filters/filter.ts';

/** An audience that is identified by its filters; each app has one per list of filters. */
export interface Specification {
  kind: Exclude<AudiencesTable['kind'], 'named'>;
  /** JSON in the canonical form. */
  filters: string;
  /** SHA-256 of that JSON, in hex. */
  fingerprint: string;
}

/** The built-in audience of all devices; its list of filters is empty. */
export const everyone: Specification = specificationOf('everyone', []);

export function onTheFly(filters: readonly Filter[]): Specification {
  return specificationOf('on_the_fly', filters);
}

function specificationOf(kind: Specification['kind'], filters: readonly Filter[]): Specification {
  const json = stringifyJson(canonicalFilters(filters));
  return { kind, filters: json, fingerprint: fingerprintOf(json).toString('hex') };
}

/** The name of a new audience. */
export function nameOf({ kind }: Specification, id: string): string {
  return kind === 'everyone' ? 'All devices' : `api_audience_${id.replaceAll('-', '').slice(-16)}`;
}

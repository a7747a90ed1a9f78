/** Makes a process store only names of time zones that its database knows. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { readTimeZoneNames } from '../db/state/time-zone-names.ts';
import type { Observe } from '../observe.ts';
import { storeKnownZones, unknownZones } from '../time/time-zones.ts';

/** How many of them the log names. */
const NAMED_MAX = 10;

/** Call it before the first device is stored. @throws the database's error */
export async function learnTimeZones(db: Kysely<Database>, observe: Observe): Promise<void> {
  const unknown = unknownZones(await readTimeZoneNames(db));
  storeKnownZones(unknown);
  const { renamed, missing } = unknown;
  if (renamed.size + missing.length === 0) return;
  observe({
    kind: 'time_zones_unknown',
    renamed: renamed.size,
    missing: missing.length,
    examples: [...missing, ...renamed.keys()].slice(0, NAMED_MAX),
  });
}

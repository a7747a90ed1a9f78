import { sql } from 'kysely';
import { outcomeKinds } from './packed.ts';

/**
 * SQL: the devices of the notification `n` that have an outcome. In `set` it is the number before the update, in `returning` the
 * one after it.
 */
export const devicesDone = sql`(${sql.join(
  outcomeKinds.map((kind) => sql.ref(`n.${kind}`)),
  sql` + `,
)})`;

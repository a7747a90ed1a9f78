/** A database that ends connections for a moment. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/db/tables.ts';

/**
 * Ends the first three statements of a kind as if their connections had been terminated.
 * @param statements as a trigger names them: `update on delivery_slices for each row when (…)`
 * @returns a function that removes the trigger
 */
export async function refuseThrice(db: Kysely<Database>, statements: string): Promise<() => Promise<void>> {
  await sql
    .raw(
      `create sequence refusals;
      create function refuse_thrice() returns trigger language plpgsql as $$ begin
        if nextval('refusals') <= 3 then raise exception using errcode = '57P01'; end if;
        if tg_op = 'DELETE' then return old; end if;
        return new;
      end $$;
      create trigger refuse_thrice before ${statements} execute function refuse_thrice()`,
    )
    .execute(db);
  return async () => {
    await sql`drop function refuse_thrice cascade; drop sequence refusals`.execute(db);
  };
}

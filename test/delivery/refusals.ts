/** A database that refuses some statements, or ends connections for a moment. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/db/tables.ts';

interface Refused {
  /** As a trigger names the statements: `insert on delivery_slices`. */
  on: string;
  /** A condition on the new row. */
  when: string;
  /** An SQLSTATE. */
  code?: string;
  message?: string;
  /** Of the function that refuses, which error messages show. */
  name?: string;
}

/** From now on these statements fail, in place of those that were refused under the name before. */
export async function refuse(
  db: Kysely<Database>,
  { on, when, code = '23514', message = 'no', name = 'refuse' }: Refused,
): Promise<void> {
  await sql
    .raw(
      `create or replace function ${name}() returns trigger language plpgsql as $$ begin
        if ${when} then raise exception using errcode = '${code}', message = '${message}'; end if;
        return new;
      end $$;
      create or replace trigger ${name} before ${on} for each row execute function ${name}()`,
    )
    .execute(db);
}

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

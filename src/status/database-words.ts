/** What each condition of the database means, and what to do, for the list of troubles and for `carillon doctor`. */
import type { DatabaseCondition } from '../observe.ts';
import type { TroubleCode } from './trouble.ts';

interface ConditionWords {
  code: TroubleCode;
  what: string;
  effect: string;
  /** Without a capital letter and a full stop. */
  remedy: string;
}

const WAITS = 'Calls fail, and pushes wait; outcomes of pushes in flight are kept in memory.';
const SOME = 'Some calls and pushes wait, or fail and are tried again.';

export const databaseWords: Readonly<Record<DatabaseCondition, ConditionWords>> = {
  unreachable: {
    code: 'database_away',
    what: 'The database does not answer',
    effect: WAITS,
    remedy: 'check that Postgres runs and that DATABASE_URL names its host and port',
  },
  terminated: {
    code: 'database_away',
    what: 'The database has cut the connections',
    effect: WAITS,
    remedy: 'check the log of Postgres, and the proxies in between',
  },
  too_many_connections: {
    code: 'database_away',
    what: 'The database takes no more connections',
    effect: SOME,
    remedy: 'raise max_connections of Postgres, or use a connection pooler',
  },
  out_of_memory: {
    code: 'database_away',
    what: 'The database has no memory left',
    effect: SOME,
    remedy: 'give Postgres more memory, or fewer connections',
  },
  disk_full: {
    code: 'disk_full',
    what: 'The disk of the database is full',
    effect: 'Nothing is stored or sent until there is space.',
    remedy: 'free space on the disk of Postgres',
  },
  locked: {
    code: 'database_locked',
    what: 'Statements wait for a lock in the database',
    effect: WAITS,
    remedy: 'end the transaction that holds the lock: select pg_terminate_backend(<its process id>)',
  },
  read_only: {
    code: 'database_read_only',
    what: 'The database accepts no writes',
    effect: 'Nothing is stored or sent until it accepts them.',
    remedy: 'let DATABASE_URL name the primary, and check default_transaction_read_only',
  },
  no_free_connection: {
    code: 'database_busy',
    what: 'All connections of a process to the database are in use',
    effect: SOME,
    remedy: 'find out which statements take long (pg_stat_activity)',
  },
  permission_denied: {
    code: 'database_unusable',
    what: 'The database refuses statements',
    effect: SOME,
    remedy: 'restore the rights of the role of DATABASE_URL on the schema; it should own the tables',
  },
  wrong_schema: {
    code: 'database_unusable',
    what: 'The schema of the database is not that of this release',
    effect: SOME,
    remedy: 'run "carillon migrate"; if the schema was changed by hand, restore a backup',
  },
};

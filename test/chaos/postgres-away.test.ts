import { postgresAway } from './faults/postgres.ts';
import { testFaults } from './matrix.ts';

testFaults('Postgres that is away', postgresAway);

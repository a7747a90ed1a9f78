import { postgresFaults } from './faults/postgres.ts';
import { testFaults } from './matrix.ts';

testFaults('Faults of Postgres', postgresFaults);

import { postgresTroubled } from './faults/postgres.ts';
import { testFaults } from './matrix.ts';

testFaults('Postgres in trouble', postgresTroubled);

import { processFaults } from './faults/processes.ts';
import { testFaults } from './matrix.ts';

testFaults('Faults of processes', processFaults);

import { machineFaults } from './faults/machine.ts';
import { testFaults } from './matrix.ts';

testFaults('Faults of the machine', machineFaults);

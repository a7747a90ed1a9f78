import { gatewayFaults } from './faults/gateways.ts';
import { testFaults } from './matrix.ts';

testFaults('Faults of gateways', gatewayFaults);

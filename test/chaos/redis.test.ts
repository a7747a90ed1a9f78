import { redisFaults } from './faults/redis.ts';
import { testFaults } from './matrix.ts';

testFaults('Faults of Redis', redisFaults);

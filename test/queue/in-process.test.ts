import { describe } from 'vitest';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { queueConformance } from './conformance.ts';

describe('The queue inside the process', () => {
  queueConformance(
    (observe) => openInProcessQueue({ observe }),
    async () => undefined,
  );
});

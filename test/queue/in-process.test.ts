import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { queueConformance } from './conformance.ts';

queueConformance(
  (observe) => openInProcessQueue({ observe }),
  async () => undefined,
);

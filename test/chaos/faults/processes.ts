/** Our own processes are killed, or stand still. */
import { faultsOf, lasts } from '../fault.ts';
import type { Role, Stage } from '../stage.ts';

const STANDS_STILL_SECONDS = 30;

async function killAndStart(stage: Stage, ...roles: Role[]): Promise<void> {
  const counts = roles.map((role) => stage.running(role).length);
  await Promise.all(roles.map(async (role) => stage.kill(role)));
  await Promise.all(
    roles.flatMap((role, index) => Array.from({ length: counts[index] ?? 0 }, async () => stage.start(role))),
  );
}

export const processFaults = faultsOf('processes', [
  {
    name: 'one of two workers killed',
    strike: async (stage) => {
      await stage.kill('worker', 1);
      await stage.start('worker');
    },
  },
  { name: 'both workers killed', strike: async (stage) => killAndStart(stage, 'worker') },
  { name: 'the API process killed', strike: async (stage) => killAndStart(stage, 'api') },
  {
    name: 'one of two workers asked to stop, and replaced',
    strike: async (stage) => {
      await stage.stop('worker', 1);
      await stage.start('worker');
    },
  },
  {
    name: 'all asked to stop, and started again',
    strike: async (stage) => {
      await Promise.all([stage.stop('api'), stage.stop('worker')]);
      await Promise.all([stage.start('api'), stage.start('worker'), stage.start('worker')]);
    },
  },
  {
    name: 'everything killed, Postgres and Redis too',
    strike: async (stage) => {
      const both = ['api', 'worker'] as const;
      await Promise.all([...both.map(async (role) => stage.kill(role)), stage.redis.kill()]);
      await stage.postgres.stop('immediate');
      await Promise.all([stage.postgres.start(), stage.redis.restart()]);
      await Promise.all([stage.start('api'), stage.start('worker'), stage.start('worker')]);
    },
  },
  {
    name: `a worker stopped for ${STANDS_STILL_SECONDS} s (SIGSTOP)`,
    strike: async (stage) => {
      const [worker] = stage.running('worker');
      worker?.signal('SIGSTOP');
      await lasts(STANDS_STILL_SECONDS);
      worker?.signal('SIGCONT');
    },
  },
]);

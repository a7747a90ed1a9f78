import type { Command } from 'commander';

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('server, simulator, sample devices and one real notification, in one command')
    .action(async () => {
      // Loaded only here: other commands start in half the time without it.
      const { runDemo } = await import('./run-demo.ts');
      await runDemo();
    });
}

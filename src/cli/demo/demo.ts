import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('runs a server, the simulator and sample devices, and sends one notification')
    .action(async () => {
      // Loaded only here: other commands start in half the time without it.
      const { runDemo } = await import('./run-demo.ts');
      await runDemo(terminal);
    });
}

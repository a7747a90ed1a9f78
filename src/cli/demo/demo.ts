import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export function addDemoCommand(demo: Command, terminal: Terminal): void {
  demo.action(async () => {
    // Loaded only here: other commands start in half the time without it.
    const { runDemo } = await import('./run-demo.ts');
    await runDemo(terminal);
  });
}

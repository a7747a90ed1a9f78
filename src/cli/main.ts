/** The program: runs the command line of this process. */
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), process);
// firebase-admin cannot be stopped: after a check of credentials that took too long, it would wait for minutes to try
// again. So a command ends its process once its output is written.
process.stderr.write('', () => process.stdout.write('', () => process.exit()));

/** The program: runs the command line of this process. */
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), process);

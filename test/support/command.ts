/** Commands in the process of the tests: a process of its own takes 0.3 s of processor time to start. */
import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/run.ts';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs `carillon <words>` to its end, with these settings alone. Not for `start`, `demo`
 * and `simulator`, which wait for signals of the process.
 * @param input what is on standard input
 */
export async function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandResult> {
  const stdout = collector();
  const stderr = collector();
  const stdin = Readable.from([Buffer.from(input)]);
  const code = await run(words, { env, stdin, stdout: stdout.stream, stderr: stderr.stream });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector() {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

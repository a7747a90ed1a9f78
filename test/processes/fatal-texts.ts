/** Loaded into a process by `--import`: kills a worker at once when it writes or reads a certain text, as a lack of memory would. */
/** In a push that is compiled. */
export const FATAL_TEXT = 'this text kills the process';
/** In the answer of a gateway that is read. */
export const FATAL_REASON = 'KillsTheProcess';

const { parse, stringify } = JSON;

function dieOf(text: string, pattern: RegExp): string {
  // Matching makes a text of what has none.
  if (pattern.test(text)) process.kill(process.pid, 'SIGKILL');
  return text;
}

if (process.env['ROLE'] === 'worker') {
  JSON.stringify = (value: unknown, ...others: never[]): string =>
    dieOf(stringify(value, ...others), new RegExp(FATAL_TEXT));
  JSON.parse = (text: string, ...others: never[]): unknown =>
    parse(dieOf(text, new RegExp(FATAL_REASON)), ...others);
}

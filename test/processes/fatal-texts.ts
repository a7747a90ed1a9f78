/** Loaded into a process by `--import`: kills it at once when it compiles a push with the marker, as a lack of memory would. */
export const MARKER = 'this text kills the process';

const { stringify } = JSON;

if (process.env['ROLE'] === 'worker') {
  JSON.stringify = (value: unknown, ...others: never[]): string => {
    const text = stringify(value, ...others);
    // Matching makes a text of what has none.
    if (new RegExp(MARKER).test(text)) process.kill(process.pid, 'SIGKILL');
    return text;
  };
}

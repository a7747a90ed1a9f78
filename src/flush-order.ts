/**
 * The order of flushes at the end of a turn of the event loop: first outcomes are handed to the database, then new requests
 * are sent. So a crash can repeat at most the requests in flight: no request replaces one whose outcome is only in memory.
 */
type Step = 'record' | 'send';

const tasks: Readonly<Record<Step, (() => void)[]>> = { record: [], send: [] };
let isScheduled = false;

/** @param task runs once at the end of the turn, with the tasks that it adds to the same step */
export function atTurnEnd(step: Step, task: () => void): void {
  tasks[step].push(task);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(run, 'record');
  // Node runs all promise callbacks between the two, so a statement has been written to its socket before requests are sent.
  setImmediate(finish);
}

function finish(): void {
  run('send');
  isScheduled = false;
  if (tasks.record.length > 0) schedule();
}

function run(step: Step): void {
  for (const task of tasks[step]) task();
  tasks[step].length = 0;
}

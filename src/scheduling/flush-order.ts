/**
 * Orders the flushes at the end of each turn of the event loop: outcomes go to the database first, then new requests are
 * sent. A crash can therefore repeat at most the requests in flight: no new request is sent while the outcome of an earlier
 * one is only in memory.
 */
type Step = 'record' | 'send';

const tasks: Readonly<Record<Step, (() => void)[]>> = { record: [], send: [] };
let isScheduled = false;

/** @param task runs once at the end of the turn; tasks that it adds to the same step run in the same turn */
export function atTurnEnd(step: Step, task: () => void): void {
  tasks[step].push(task);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(run, 'record');
  // Node runs all promise callbacks between the two, so statements are written to their sockets before requests are sent.
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

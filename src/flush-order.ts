/**
 * What is put off to the end of a turn of the event loop, in this order: what has come is handed to the database, then
 * what is to leave is sent. So whenever the process dies, what has left and has no place in the database is what was
 * in flight, and no more: nothing leaves in the place of a push whose outcome nobody else knows.
 */
type Step = 'record' | 'send';

const tasks: Readonly<Record<Step, (() => void)[]>> = { record: [], send: [] };
let isScheduled = false;

/** @param task runs once, with all that it puts off to the same step; what it writes to a socket is written */
export function atTurnEnd(step: Step, task: () => void): void {
  tasks[step].push(task);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(run, 'record');
  // Two, since between them Node settles all promises: a statement has reached its socket by then.
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

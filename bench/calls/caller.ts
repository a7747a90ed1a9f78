/** Starts the caller's process (bench/processes/caller.ts). */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type CallerInput,
  lastAnswer,
  type LastAnswer,
  recorded,
  type Recorded,
  started,
} from './caller-messages.ts';
import { type CallRecord, readRecords } from './records.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import { startScript } from '../support/programs.ts';

const CONNECTIONS = 32;

export interface Calls {
  url: string;
  authorization: string;
  bodies: Bodies;
  seconds: number;
  /** If undefined, as fast as answers come. */
  perSecond?: number;
  /** The most calls; if undefined, more than any server can answer in the time. */
  callsMax?: number;
}

/** Bodies for calls, in a file. Each run of calls begins with the body after the last one of the previous run. */
export interface Bodies {
  file: string;
  count: number;
  next: number;
}

export interface Caller {
  /** Resolves when the calls begin. */
  started: Promise<void>;
  /** Resolves when the last call is answered. */
  lastAnswer: Promise<LastAnswer>;
  /** Resolves when the calls are recorded. */
  recorded: Promise<Recorded>;
  /** Call it after that. @returns the calls that were not refused */
  records(): Promise<CallRecord[]>;
  /** Begins no more calls. */
  end(): Promise<void>;
}

const PROGRAM = new URL('../processes/caller.ts', import.meta.url);
const CALLS_PER_SECOND_MAX = 30_000;
/** Time for its start, its input and the last answers. */
const EXTRA_MS = 120_000;

export async function writeBodies(dir: string, name: string, bodies: readonly string[]): Promise<Bodies> {
  const file = path.join(dir, name);
  await writeFile(file, `${bodies.join('\n')}\n`);
  return { file, count: bodies.length, next: 0 };
}

export async function startCaller(context: BenchContext, calls: Calls): Promise<Caller> {
  const { url, authorization, bodies, seconds, perSecond = null } = calls;
  const recordsFile = path.join(await makeDir(context), 'calls');
  const input: CallerInput = {
    url,
    headers: { authorization, 'content-type': 'application/json' },
    bodiesFile: bodies.file,
    bodiesCount: bodies.count,
    firstBody: bodies.next,
    connections: CONNECTIONS,
    callsMax: calls.callsMax ?? (perSecond ?? CALLS_PER_SECOND_MAX) * seconds,
    seconds,
    perSecond,
    recordsFile,
  };
  const script = keepOpen(context, startScript(PROGRAM, input));
  const line = async (kind: string): Promise<unknown> =>
    JSON.parse(await script.line(new RegExp(`^{"kind":"${kind}"`), seconds * 1_000 + EXTRA_MS));
  const begun = line('started').then((first) => void started.parse(first));
  const answered = line('last_answer').then((last) => {
    const parsed = lastAnswer.parse(last);
    bodies.next = (bodies.next + parsed.begun) % bodies.count;
    return parsed;
  });
  const afterwards = line('recorded').then((last) => recorded.parse(last));
  for (const promise of [begun, answered, afterwards]) promise.catch(() => undefined); // a caller may wait for one alone
  return {
    started: begun,
    lastAnswer: answered,
    recorded: afterwards,
    records: async () => readRecords(recordsFile),
    end: async () => script.stop(),
  };
}

/** What the sink answers at most: `h2load`, written in C, keeps as many requests on their way as Carillon may. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { providerTokenFor } from './provider-token.ts';
import { findProgram } from './programs.ts';
import type { Sink } from './sink.ts';

const run = promisify(execFile);
const REQUESTS = 100_000;
const CONNECTIONS = 4;
const STREAMS = 100;
const TIMEOUT_MS = 120_000;

/** @returns requests a second, or null where `h2load` is not installed */
export async function measureCeiling(sink: Sink, dir: string): Promise<number | null> {
  const program = findProgram('h2load');
  if (program === undefined) return null;
  const body = path.join(dir, 'push.json');
  await writeFile(body, JSON.stringify({ aps: { alert: 'Hello' } }));
  const headers = [
    `authorization: bearer ${providerTokenFor(sink.credentials)}`,
    'apns-topic: com.example.both',
    'apns-push-type: alert',
  ];
  const amount = ['-n', String(REQUESTS), '-c', String(CONNECTIONS), '-m', String(STREAMS)];
  const url = `${sink.apnsUrl}/3/device/${'a'.repeat(64)}`;
  const { stdout } = await run(
    program,
    [...amount, '-d', body, ...headers.flatMap((header) => ['-H', header]), url],
    { timeout: TIMEOUT_MS },
  );
  const [, perSecond] = /finished in .*?, ([\d.]+) req\/s/.exec(stdout) ?? [];
  if (!stdout.includes(` ${REQUESTS} succeeded`)) throw new Error(`the sink failed h2load:\n${stdout}`);
  return Number(perSecond);
}

/** The maximum rate of the sink, by `h2load` (in C) with as many requests in flight as Carillon may have. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../src/clock.ts';
import { openProviderToken } from '../../src/gateways/apns/provider-token.ts';
import { findProgram } from './programs.ts';
import type { Sink } from '../sinks/sink.ts';

const run = promisify(execFile);
const REQUESTS = 100_000;
const CONNECTIONS = 4;
const STREAMS = 100;
const TIMEOUT_MS = 120_000;

const TO_APPLE = {
  address: `/3/device/${'a'.repeat(64)}`,
  body: JSON.stringify({ aps: { alert: 'Hello' } }),
};

/** @returns requests per second; null if `h2load` is not installed */
export async function measureCeiling(sink: Sink, dir: string, push = TO_APPLE): Promise<number | null> {
  const program = findProgram('h2load');
  if (program === undefined) return null;
  const body = path.join(dir, 'push.json');
  await writeFile(body, push.body);
  const headers = [
    `authorization: bearer ${openProviderToken(sink.credentials.apns, systemClock).current()}`,
    'apns-topic: com.example.both',
    'apns-push-type: alert',
  ];
  const amount = ['-n', String(REQUESTS), '-c', String(CONNECTIONS), '-m', String(STREAMS)];
  const url = sink.apnsUrl + push.address;
  const { stdout } = await run(
    program,
    [...amount, '-d', body, ...headers.flatMap((header) => ['-H', header]), url],
    { timeout: TIMEOUT_MS },
  );
  const [, perSecond] = /finished in .*?, ([\d.]+) req\/s/.exec(stdout) ?? [];
  if (!stdout.includes(` ${REQUESTS} succeeded`)) throw new Error(`the sink failed h2load:\n${stdout}`);
  return Number(perSecond);
}

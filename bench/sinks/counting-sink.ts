/** A sink in Go that keeps which push each token got: several times as fast as the simulator, which checks all that it gets. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { closedPort } from '../../test/support/ports.ts';
import { makeCredentials } from '../support/credentials.ts';
import { startProgram } from '../support/programs.ts';
import { type Sink, writeCertificate } from './sink.ts';

const SOURCE = fileURLToPath(new URL('counting', import.meta.url));
/** Go compiles its net/http the first time. */
const BUILD_TIMEOUT_MS = 180_000;
const START_TIMEOUT_MS = 10_000;
const CONTROL_TIMEOUT_MS = 10_000;

const countsSchema = z.object({ received: z.number(), repeated: z.number(), shown_twice: z.number() });

/** @param go the program */
export async function openCountingSink(go: string, dir: string): Promise<Sink> {
  const program = path.join(dir, 'counting-sink');
  const env = { ...process.env, CGO_ENABLED: '0', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const options = { cwd: SOURCE, env, timeout: BUILD_TIMEOUT_MS };
  await promisify(execFile)(go, ['build', '-o', program, '.'], options);
  const { caFile, certificate, key } = await writeCertificate(dir);
  const [port, statusPort] = [await closedPort(), await closedPort()];
  const sink = startProgram(program, [String(port), String(statusPort), certificate, key]);
  await sink.line(/listening/, START_TIMEOUT_MS);
  const url = `https://127.0.0.1:${port}`;
  const ask = async (method: 'GET' | 'POST') => {
    const signal = AbortSignal.timeout(CONTROL_TIMEOUT_MS);
    const response = await fetch(`http://127.0.0.1:${statusPort}/`, { method, signal });
    return countsSchema.parse(await response.json());
  };
  return {
    name: 'counting',
    pid: sink.pid,
    apnsUrl: url,
    fcmUrl: url,
    oauthUrl: url,
    caFile,
    credentials: makeCredentials(),
    reset: async () => void (await ask('POST')),
    count: async () => {
      const { shown_twice: shownTwice, ...counts } = await ask('GET');
      return { ...counts, shownTwice };
    },
    stop: async () => sink.stop(),
  };
}

/** Schemathesis makes requests of the API's document, right and wrong ones, and judges the replies. See README.md. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startSimulator } from '@carillon/simulator';
import { createApiKey } from '../../../src/apps/api-keys.ts';
import { parseScopes } from '../../../src/apps/scopes.ts';
import { systemClock } from '../../../src/clock.ts';
import { parseSecretKey } from '../../../src/process/secret-key.ts';
import { ROOT } from '../../docs/markdown.ts';
import { basic } from '../../http/api.ts';
import { type DocumentedCall, documentedCalls } from '../../http/openapi/document.ts';
import { useTestDatabase } from '../../support/database.ts';
import { closedPort } from '../../support/ports.ts';
import { listeningUrl, useCarillon } from '../../support/processes.ts';
import { byRun } from '../../support/runs.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
} from '../../support/simulated-app.ts';

const HERE = import.meta.dirname;
const VENV = path.join(ROOT, '.venv');
const isInstalled = existsSync(path.join(VENV, 'installed'));
// oxlint-disable-next-line no-console -- a skipped test says why
if (!isInstalled) console.log('skipped: Schemathesis is not installed (test/deep/schemathesis/install)');

const database = useTestDatabase();
const carillon = useCarillon();

test.skipIf(!isInstalled)(
  'Schemathesis finds no reply that the document does not describe',
  { timeout: 3_600_000 },
  async () => {
    const dir = await carillon.makeDir();
    const simulator = await startSimulator({ certificateDir: dir });
    try {
      const secret = randomBytes(32).toString('hex');
      const server = carillon.start(['start'], {
        ...gatewaySettings(simulator),
        DATABASE_URL: database.url,
        SECRET_KEY: secret,
        PORT: '0',
        KEY_REQUESTS_PER_SECOND: '0',
        ADDRESS_REQUESTS_PER_SECOND: '0',
        ADDRESS_FAILURES_PER_MINUTE: '0',
        // Webhooks and credentials that it makes up lead nowhere.
        HTTPS_PROXY: `http://127.0.0.1:${await closedPort()}`,
        NO_PROXY: '127.0.0.1,localhost',
        METADATA_SERVER_DETECTION: 'none',
      });
      const url = await listeningUrl(server);
      const app = await createSimulatedApp(database.db, parseSecretKey(secret), simulator);
      const ids = await seed(url, app);
      const authorizations: Record<string, string> = {};
      for (const scope of parseScopes('read,write,register,admin')) {
        const { key } = await createApiKey(database.db, { appId: app.id, scopes: [scope] }, systemClock);
        authorizations[scope] = basic('', key);
      }
      const settings = [
        await readFile(path.join(HERE, 'schemathesis.toml'), 'utf8'),
        ...Object.entries(ids).map(
          ([name, values]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(values)}`,
        ),
        ...documentedCalls.map((call) => idsOf(call, ids)),
      ].join('\n');
      const config = path.join(dir, 'schemathesis.toml');
      await writeFile(config, settings);
      const { code, printed } = await runSchemathesis(dir, authorizations, [
        '--config-file',
        config,
        'run',
        `${url}/openapi.json`,
        '--no-color',
        '--workers=2',
        ...byRun({
          change: ['--phases=examples,fuzzing,stateful', '--max-examples=4', '--seed=1'],
          night: ['--continue-on-failure', '--max-examples=30'],
        }),
      ]);
      expect(code, printed).toBe(0);
      expect(printed).toContain(`Tested: ${documentedCalls.length - 2}`); // all but `revokeKey` and the document
      expect(await countSuccessful(url)).toBeGreaterThan(documentedCalls.length * 0.6);
    } finally {
      await simulator.close();
    }
  },
);

type Ids = Record<string, string[]>;

/** Makes what calls can find. @returns ids by the name of the parameter */
async function seed(url: string, { id, key }: { id: string; key: string }): Promise<Ids> {
  const backend = openBackend(url, key);
  const devices = await insertDevices(database.db, id, 20);
  const sent = await backend.notify('*');
  const later = await backend.notify([{ name: 'tags', criteria: ['vip'] }], {
    deliver_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await backend.untilEnded(sent.id, 20_000);
  return {
    device_id: devices.map((device) => device.id),
    user_id: devices.map(({ user }) => user),
    notification_id: [sent.id, later.id],
    audience_id: [sent.to.id, later.to.id],
  };
}

/** The ids that one call is given most of the time. Nothing is removed by an id that others use. */
function idsOf({ id, method, path: at }: DocumentedCall, ids: Ids): string {
  const names = Object.keys(ids).filter((name) => method !== 'delete' && at.includes(`{${name}}`));
  if (names.length === 0) return '';
  return [
    '[[operations]]',
    `include-operation-id = "${id}"`,
    ...names.map((name) => `parameters."path.${name}" = { dictionary = "${name}", probability = 0.7 }`),
  ].join('\n');
}

/** @returns how many calls have succeeded at least once, by the server’s own count: refusals alone would prove nothing */
async function countSuccessful(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const found = metrics.matchAll(/duration_seconds_count\{method="(\w+)",route="([^"]+)",status="2\d\d"/g);
  return new Set(Array.from(found, ([, method, route]) => `${method} ${route}`)).size;
}

async function runSchemathesis(
  dir: string,
  authorizations: object,
  words: string[],
): Promise<{ code: unknown; printed: string }> {
  const program = spawn(path.join(VENV, 'bin/st'), words, {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      HOOKS: path.join(HERE, 'hooks.py'),
      AUTHORIZATIONS: JSON.stringify(authorizations),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [code]] = await Promise.all([readText(program.stdout), once(program, 'close')]);
  return { code, printed };
}

/** Replacing SECRET_KEY: with running servers, and for a server whose key is in its data directory. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { startSimulator } from '@carillon/simulator';
import { runCommand } from '../support/command.ts';
import { useTestDatabase } from '../support/database.ts';
import { useOpened } from '../support/opened.ts';
import { listeningUrl, type RunningProcess, startRefusal, useCarillon } from '../support/processes.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';
import { useAlone } from '../processes/alone.ts';

const DEVICES = 10;
const WRONG_KEY = 'the stored credentials were encrypted with another key; set SECRET_KEY to that key';

describe('servers with the key in a setting', () => {
  const database = useTestDatabase();
  const carillon = useCarillon();
  const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const simulator = useOpened(async (closing) =>
    closing.keep(await startSimulator({ certificateDir: await carillon.makeDir() })),
  );
  afterEach(async () => carillon.killAll());

  const withKey = (SECRET_KEY: string, previous = {}) => ({
    ...gatewaySettings(simulator),
    DATABASE_URL: database.url,
    PORT: '0',
    SECRET_KEY,
    ...previous,
  });
  const withOld = () => withKey(oldKey);
  const withBoth = () => withKey(newKey, { SECRET_KEY_PREVIOUS: oldKey });
  const withNew = () => withKey(newKey);

  async function makeApp(key: string): Promise<SimulatedApp> {
    const app = await createSimulatedApp(database.db, parseSecretKey(key), simulator);
    await insertDevices(database.db, app.id, DEVICES);
    return app;
  }

  test(
    'servers keep delivering at each step of the replacement of the key, for apps in their cache and others',
    { timeout: 180_000 },
    async () => {
      const apps = [await makeApp(oldKey), await makeApp(oldKey), await makeApp(oldKey)];
      const [first, second, third] = apps;
      if (first === undefined || second === undefined || third === undefined) throw new Error('three apps');
      const before = carillon.start(['start'], withOld());
      await expectDelivery(before, first);

      const withBothKeys = carillon.start(['start'], withBoth());
      await expectDelivery(withBothKeys, first);
      await expectDelivery(before, second); // nothing is sealed with the new key yet
      before.signal('SIGTERM');
      await before.exited;

      const rotated = await runCommand(['secret', 'rotate', '--json'], withBoth());
      expect(rotated).toMatchObject({ code: 0, stdout: '{"resealed":8}\n', stderr: '' });
      await expectDelivery(withBothKeys, first);
      await expectDelivery(withBothKeys, third); // opened only now
      withBothKeys.signal('SIGTERM');
      await withBothKeys.exited;

      const after = carillon.start(['start'], withNew());
      for (const app of apps) await expectDelivery(after, app);
      expect(startRefusal(await carillon.run(['start'], withOld()))).toBe(WRONG_KEY);
    },
  );

  test('servers do not start, and no command runs, with a wrong key', { timeout: 120_000 }, async () => {
    await makeApp(newKey);
    const wrong = withKey(randomBytes(32).toString('hex'));
    expect(startRefusal(await carillon.run(['start'], wrong))).toBe(WRONG_KEY);
    for (const words of [
      ['apps', 'list'],
      ['secret', 'rotate'],
    ]) {
      expect(await runCommand(words, wrong), words.join(' ')).toMatchObject({
        code: 78,
        stderr: `carillon: ${WRONG_KEY}\n`,
      });
    }
  });

  test('servers need both keys to replace the key', async () => {
    expect(await runCommand(['secret', 'rotate'], withNew())).toMatchObject({
      code: 1,
      stderr: 'carillon: set SECRET_KEY to the new key and SECRET_KEY_PREVIOUS to the current one\n',
    });
  });
});

describe('a server with the key in its data directory', { timeout: 120_000 }, () => {
  const alone = useAlone();

  test('a server with the key in its data directory gets a new key while it is stopped, and works with it', async () => {
    const { app } = await alone.makeApp(DEVICES);
    const server = alone.start();
    await listeningUrl(server);
    expect(await alone.run(['secret', 'rotate'])).toMatchObject({
      code: 1,
      stderr: `carillon: a server is running on ${alone.dataDir}; stop it during the rotation\n`,
    });
    server.signal('SIGTERM');
    await server.exited;
    const before = await alone.onDatabase(async ({ secret }) => secret);

    expect(await alone.run(['secret', 'rotate'])).toMatchObject({
      code: 0,
      stdout: 'values encrypted with the new key: 2\n',
    });
    const after = await alone.onDatabase(async ({ secret }) => secret);
    expect(after.current.equals(before.current)).toBe(false);
    expect(after.previous).toBeUndefined();
    expect(await readdir(alone.dataDir)).not.toContain('secret.previous.key');
    const backend = await alone.backend(alone.start(), app);
    expect(await backend.deliver('*')).toMatchObject({ state: 'sent', accepted: DEVICES });
  });
});

async function expectDelivery(server: RunningProcess, app: SimulatedApp): Promise<void> {
  const backend = openBackend(await listeningUrl(server), app.key);
  expect(await backend.deliver('*')).toMatchObject({ state: 'sent', accepted: DEVICES });
}

/** The embedded Postgres on a disk that is really full for a while, in the middle of a bulk send. */
import { execFile } from 'node:child_process';
import { readdir, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/process/config.ts';
import { observeNothing } from '../../src/observe.ts';
import { openResources } from '../../src/process/resources.ts';
import { startSimulator } from '@carillon/simulator';
import { allAccepted, missedOf, reach, repeatsOf } from '../processes/fan-out.ts';
import { useOpened } from '../support/opened.ts';
import { databaseRuns, expectToStop, listeningUrl, startRefusal, useCarillon } from '../support/processes.ts';
import { createSimulatedApp, gatewaySettings, insertDevices, openBackend } from '../support/simulated-app.ts';

const run = promisify(execFile);
const DEVICES = 20_000;

const carillon = useCarillon();
const opened = useOpened(async (closing) => {
  const certificateDir = await carillon.makeDir();
  const simulator = closing.keep(await startSimulator({ certificateDir, keep: 50_000 }));
  const disk = await carillon.makeDir();
  // Only root may mount, and not in every container.
  const refusal = await run('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'tmpfs', disk]).then(
    () => undefined,
    (error: unknown) => String(error).trim(),
  );
  if (refusal === undefined) closing.defer(async () => void (await run('umount', ['--lazy', disk])));
  closing.defer(async () => carillon.killAll());
  return { simulator, disk, refusal };
});
beforeEach(({ skip }) => {
  if (opened.refusal === undefined) return;
  process.stdout.write(`  skipped: no disk could be mounted (${opened.refusal})\n`);
  skip(opened.refusal);
});

test(
  'the server says that the disk is full, and goes on when there is room: every device once, counters right',
  {
    timeout: 180_000,
  },
  async () => {
    const { disk, simulator } = opened;
    const dataDir = path.join(disk, 'data');
    const resources = await openResources(readConfig({ DATA_DIR: dataDir }), observeNothing);
    const app = await createSimulatedApp(resources.db, resources.secret, simulator);
    const devices = await insertDevices(resources.db, app.id, DEVICES);
    await resources.close();

    const settings = { ...gatewaySettings(simulator), DATA_DIR: dataDir, PORT: '0' };
    const server = carillon.start(['start'], settings);
    const url = await listeningUrl(server);
    const backend = openBackend(url, app.key);
    simulator.orderFault({ kind: 'delay', delayMs: 300 });
    const { id } = await backend.notify('*');
    await reach(simulator, id, 2_000);
    const filler = path.join(disk, 'filler');
    await fill(filler);
    try {
      expect(simulator.pushesByToken(id).size).toBeLessThan(DEVICES);
      await server.line(/"kind":"database_away","condition":"disk_full"/);
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
    } finally {
      await rm(filler);
    }
    await server.line(/"kind":"database_back","condition":"disk_full"/);
    simulator.clearFaults();
    expect(await backend.untilEnded(id, 90_000)).toMatchObject(allAccepted(DEVICES));
    expect(missedOf(simulator, id, devices)).toEqual([]);
    process.stdout.write(`  disk full: ${repeatsOf(simulator, id)} repeats\n`);
    expect(repeatsOf(simulator, id)).toBe(0);
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 30_000);
    await expectToStop(server);
    expect(await databaseRuns(dataDir)).toBe(false);
  },
);

test('the first start says what it cannot write, and leaves nothing half written', async () => {
  const { disk } = opened;
  const dataDir = path.join(disk, 'first');
  const filler = path.join(disk, 'filler');
  await fill(filler);
  const start = async () => carillon.run(['start'], { DATA_DIR: dataDir, PORT: '0' });
  const withoutKey = await start();
  expect(withoutKey).toMatchObject({ code: 1, signal: null });
  expect(startRefusal(withoutKey)).toBe(
    `the secret key cannot be written in ${dataDir}: ENOSPC: no space left on device, write`,
  );
  expect(await readdir(dataDir)).toEqual([]);

  await truncate(filler, (await stat(filler)).size - 1024 * 1024);
  const withoutDatabase = await start();
  expect(withoutDatabase).toMatchObject({ code: 1, signal: null });
  expect(withoutDatabase.stderr).toContain('No space left on device');
  expect(await readdir(dataDir)).toEqual(['secret.key']);

  await rm(filler);
  const server = carillon.start(['start'], { DATA_DIR: dataDir, PORT: '0' });
  await listeningUrl(server);
  await expectToStop(server);
});

/** Takes all the room that there is, in a process of its own: this one is busy as the gateway of the bulk notification. */
async function fill(file: string): Promise<void> {
  const filling = run('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M'], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  await expect(filling).rejects.toThrow('No space left on device');
}

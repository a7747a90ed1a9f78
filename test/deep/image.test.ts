/** The image, built as the Dockerfile says and run as its user on a read-only tree: the walk of docs/deploy.md. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, chown, copyFile, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fencesOf, readPage, ROOT, tableAfter } from '../docs/markdown.ts';
import { closedPort } from '../support/ports.ts';
import { useTestDatabase } from '../support/database.ts';
import { describeWithRedis } from '../support/redis.ts';
import { openBackend } from '../support/simulated-app.ts';
import { buildImage, type Image } from '../deploy/build-image.ts';
import { type Container, runIn, type Settings, startContainer } from '../deploy/container.ts';
import { dockerfileText, stagesOf } from '../deploy/dockerfile.ts';

const START_MS_MAX = 60_000;
const MEGABYTE = 1_000_000;

let directory: string;
let image: Image;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'carillon-image-'));
  await chmod(directory, 0o755); // its user has to get through
  image = await buildImage(stagesOf(dockerfileText), directory);
}, 240_000);
afterAll(async () => {
  await promisify(execFile)('chmod', ['-R', 'u+w', directory]);
  await rm(directory, { recursive: true });
});

describeWithRedis('The image', (redis) => {
  const database = useTestDatabase();
  const running: Container[] = [];
  let settings: Settings;

  beforeAll(async () => {
    // Other than the test's own, which has its schema already.
    const name = `image_${randomUUID().replaceAll('-', '')}`;
    await sql`create database ${sql.id(name)}`.execute(database.db);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    settings = {
      DATABASE_URL: url.href,
      REDIS_URL: redis.url,
      SECRET_KEY: randomBytes(32).toString('hex'),
      HOST: '127.0.0.1',
    };
  });
  afterAll(async () => {
    for (const container of running) container.kill();
    await Promise.all(running.map(async (container) => container.ended));
    const name = new URL(settings['DATABASE_URL'] ?? '').pathname.slice(1);
    await sql`drop database ${sql.id(name)} with (force)`.execute(database.db);
  });

  it('the image can write nothing of its own', async () => {
    for (const file of ['app/dist/carillon.js', 'app/new', 'usr/local/bin/node', 'tmp']) {
      const write = `require('node:fs').appendFileSync(${JSON.stringify(path.join(image.root, file))}, 'x')`;
      const { code, stderr } = await runIn(image, ['node', '-e', write], settings);
      expect({ file, code, denied: /EACCES|EROFS/.test(stderr) }).toEqual({ file, code: 1, denied: true });
    }
  });

  it('the image brings the schema up to date with `migrate`, once', async () => {
    const first = await startContainer(image, ['migrate'], settings).ended;
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^applied 0001-core/) });
    const second = await startContainer(image, ['migrate'], settings).ended;
    expect(second).toMatchObject({ code: 0, stdout: 'up to date\n' });
  });

  it('the image sends a push as API and worker, in three lines after its start, and drains at STOPSIGNAL', async () => {
    const simulator = await startSimulator();
    const api = await startRole('api', simulator.settings);
    const worker = await startRole('worker', simulator.settings);

    for (const round of ['first', 'again']) {
      const { code, stdout, stderr } = await pasteThreeLines(api.settings);
      expect({ round, code }, stderr).toEqual({ round, code: 0 });
      const [, created, key = ''] = stdout.trim().split('\n');
      const { id } = z.object({ id: z.string() }).parse(JSON.parse(created ?? ''));
      const backend = openBackend(`http://127.0.0.1:${api.settings['PORT']}`, key);
      expect(await backend.untilEnded(id, 60_000)).toMatchObject({ state: 'sent', accepted: 1 });
    }

    api.container.stop();
    worker.container.stop();
    expect(await api.container.ended).toMatchObject({ code: 0 });
    expect(await worker.container.ended).toMatchObject({ code: 0 });
  }, 180_000);

  it('the image fails its health check where nothing answers', async () => {
    const dead = { ...settings, METRICS_PORT: String(await closedPort()) };
    expect((await runIn(image, image.healthcheck, dead)).code).toBe(1);
  });

  /** Its command of docker-compose.yml, but on the loopback. */
  async function startSimulator(): Promise<{ settings: Settings }> {
    const dir = path.join(directory, 'simulator');
    await mkdir(dir);
    if (process.getuid?.() === 0) await chown(dir, image.user.uid, image.user.gid);
    const words = ['simulator', '--host', 'localhost', '--port', '0', '--dir', dir, '--json'];
    const container = startContainer(image, words, {});
    running.push(container);
    const printed = await vi.waitFor(() => simulatorSchema.parse(JSON.parse(container.output())), {
      timeout: START_MS_MAX,
      interval: 100,
    });
    return { settings: printed.settings };
  }

  async function startRole(role: string, gateways: Settings) {
    const ports = { PORT: String(await closedPort()), METRICS_PORT: String(await closedPort()) };
    const own: Settings = { ...settings, ...gateways, ...ports, ROLE: role };
    const container = startContainer(image, image.command, own);
    running.push(container);
    await vi.waitFor(
      async () => {
        const { code } = await runIn(image, image.healthcheck, own);
        expect(code, container.output()).toBe(0);
        const ready = await fetch(`http://127.0.0.1:${own['METRICS_PORT']}/readyz`);
        expect(ready.status).toBe(200);
      },
      { timeout: START_MS_MAX, interval: 200 },
    );
    return { container, settings: own };
  }
});

/**
 * The block of docs/deploy.md as it is pasted, but for the port; what `docker compose exec` is to run in the
 * container runs as the image does. @returns the two replies and the key, a line each
 */
async function pasteThreeLines(container: Settings) {
  const script = path.join(directory, 'simulated-app.sh');
  await copyFile(path.join(ROOT, 'deploy/simulated-app.sh'), script);
  const block = fencesOf(readPage('docs/deploy.md')).find(({ text }) => text.includes('simulated-app.sh'));
  const lines = block?.text
    .replaceAll('8080', container['PORT'] ?? '')
    .replaceAll('deploy/simulated-app.sh', script)
    .replaceAll('curl -s ', "curl -s --fail-with-body -w '\\n' ");
  const docker = 'docker() { [ "$*" = "compose exec -T api sh" ] && sh; }';
  return runIn(image, ['bash', '-ec', `${docker}\n${lines}\necho "$KEY"`], container);
}

const simulatorSchema = z.object({ settings: z.record(z.string(), z.string()) });

it('the image has what docs/deploy.md says, and stays under 250 MB', async () => {
  const listed = tableAfter(readPage('docs/deploy.md'), '<!-- image -->').map(
    ([part = '', , megabytes = '']) => ({ part: part.replaceAll('`', ''), megabytes: Number(megabytes) }),
  );
  const measured = listed.filter(({ part }) => part.startsWith('/'));
  for (const { part, megabytes } of measured) {
    const actual = (await bytesUnder(path.join(image.root, part))) / MEGABYTE;
    // Node's size differs a little from release to release, that of the packages with every update.
    expect(actual, part).toBeLessThanOrEqual(megabytes + 1);
    expect(actual, part).toBeGreaterThan(megabytes * 0.8 - 1);
  }
  const inTables = measured.map(({ part }) => bytesUnder(path.join(image.root, part)));
  const sum = (await Promise.all(inTables)).reduce((total, bytes) => total + bytes, 0);
  expect(sum).toBe(await bytesUnder(image.root));
  expect(listed.reduce((total, { megabytes }) => total + megabytes, 0)).toBeLessThan(250);
});

async function bytesUnder(place: string): Promise<number> {
  if ((await lstat(place)).isFile()) return (await lstat(place)).size;
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await lstat(path.join(parentPath, name))).size),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

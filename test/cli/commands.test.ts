import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { KNOWN_FOR_MS } from '../../src/apps/recent-look-ups.ts';
import {
  type Simulator,
  type SimulatorFiles,
  startSimulator,
  writeSimulatorFiles,
} from '@carillon/simulator';
import { runCommand } from '../support/command.ts';
import { databaseRuns, listeningUrl, useCarillon } from '../support/processes.ts';
import { gatewaySettings, openBackend } from '../support/simulated-app.ts';

const BUNDLE_ID = 'com.example.app';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let simulator: Simulator;
let files: SimulatorFiles;
const outside = useCarillon();

beforeAll(async () => {
  const dir = await outside.makeDir();
  simulator = await startSimulator({ certificateDir: dir });
  files = await writeSimulatorFiles(simulator, dir, { bundleId: BUNDLE_ID });
});
afterAll(async () => {
  await simulator.close();
});

describe.each(['without a server', 'next to a running server'])('%s', (situation) => {
  const carillon = useCarillon();
  const withServer = situation === 'next to a running server';
  /** Everything that was printed by commands that have no secret to show. */
  const printed: string[] = [];
  let dataDir: string;
  let url: string;
  let app: { id: string };
  let key: { id: string; key: string };

  const run = async (...words: string[]): ReturnType<typeof runCommand> => {
    const exit = await runCommand(words, { ...gatewaySettings(simulator), DATA_DIR: dataDir });
    if (words[1] !== 'create') printed.push(exit.stdout, exit.stderr);
    return exit;
  };

  /** Runs a command with `--json`: it must succeed and print one JSON value and nothing else. */
  const runJson = async (...words: string[]): Promise<unknown> => {
    const exit = await run(...words, '--json');
    expect(exit).toMatchObject({ code: 0, stderr: '' });
    const value: unknown = JSON.parse(exit.stdout);
    expect(exit.stdout).toBe(`${JSON.stringify(value)}\n`);
    return value;
  };

  /** Runs a command as a person does: it must succeed. @returns the lines that it prints */
  const runPlain = async (...words: string[]): Promise<string[]> => {
    const exit = await run(...words);
    expect(exit).toMatchObject({ code: 0, stderr: '' });
    return exit.stdout.trimEnd().split('\n');
  };

  beforeAll(async () => {
    dataDir = await carillon.makeDir();
    if (!withServer) return;
    const environment = { ...gatewaySettings(simulator), DATA_DIR: dataDir, PORT: '0' };
    url = await listeningUrl(carillon.start(['start'], environment));
  });

  test('apps create makes an app, in a process of its own', async () => {
    const words = ['apps', 'create', '--bundle-id', BUNDLE_ID, '--name', 'My app', '--json'];
    const exit = await carillon.run(words, { DATA_DIR: dataDir });
    expect(exit).toMatchObject({ code: 0, signal: null, stderr: '' });
    const created: unknown = JSON.parse(exit.stdout);
    expect(created).toEqual({ id: expect.stringMatching(UUID), bundle_id: BUNDLE_ID, name: 'My app' });
    app = z.object({ id: z.string() }).parse(created);
  });

  test('apps list shows the apps', async () => {
    expect(await runJson('apps', 'list')).toEqual([
      {
        id: app.id,
        bundle_id: BUNDLE_ID,
        name: 'My app',
        created_at: expect.stringMatching(INSTANT),
        android_presentation: 'data',
        android_icon: null,
        android_color: null,
      },
    ]);
  });

  test('keys create shows the key, this once', async () => {
    const words = ['keys', 'create', '--app', BUNDLE_ID, '--scopes', 'register, write,read'];
    const created = await runJson(...words);
    expect(created).toEqual({
      id: expect.stringMatching(UUID),
      key: expect.stringMatching(/^carillon_[\w-]{43}$/),
      name: null,
      scopes: ['read', 'write', 'register'],
      bundle_id: BUNDLE_ID,
    });
    key = z.object({ id: z.string(), key: z.string() }).parse(created);
  });

  test('credentials apns and fcm read the files that Apple and Google hand out', async () => {
    expect(await runJson(...apnsWords(files.apnsKeyFile))).toEqual({
      bundle_id: BUNDLE_ID,
      gateway: 'apns',
      environment: 'all',
      good_for: ['production', 'sandbox'],
    });
    expect(await runJson(...fcmWords())).toEqual({
      bundle_id: BUNDLE_ID,
      gateway: 'fcm',
      project: 'carillon-simulator',
      checked: true,
    });
  });

  test('migrate finds nothing left to apply', async () => {
    expect(await runPlain('migrate')).toEqual(['up to date']);
  });

  // The code is the same without a server, but each command starts and stops the database then.
  if (withServer) {
    test('apps set changes what its options name', async () => {
      const set = async (...options: string[]): Promise<unknown> =>
        runJson('apps', 'set', '--app', BUNDLE_ID, ...options);
      const look = { bundle_id: BUNDLE_ID, android_icon: 'ic_push', android_color: '#aa0000' };
      const icon = ['--android-icon', 'ic_push', '--android-color', '#aa0000'];
      expect(await set('--android-presentation', 'system', ...icon)).toEqual({
        ...look,
        android_presentation: 'system',
      });
      expect(await set('--android-presentation', 'data')).toEqual({ ...look, android_presentation: 'data' });
      expect(await set('--android-icon', '', '--android-color', '')).toEqual({
        bundle_id: BUNDLE_ID,
        android_presentation: 'data',
        android_icon: null,
        android_color: null,
      });
    });

    test.each([
      [[], 'give an option to change, such as --android-presentation system'],
      [
        ['--android-icon', 'Ic-Push'],
        'an icon is the name of a drawable: lower-case letters, digits and underscores',
      ],
      [['--android-color', 'red'], 'a color has the form #rrggbb, such as #aa0000'],
    ])('the command apps set %j is refused', async (options, sentence) => {
      const words = ['apps', 'set', '--app', BUNDLE_ID, ...options];
      expect(await run(...words)).toEqual({
        code: 1,
        stdout: '',
        stderr: `carillon: ${sentence}\n`,
      });
    });

    test('gateways list shows a paused route, and gateways resume resumes it', async () => {
      const listed = z
        .array(z.looseObject({ route: z.string() }))
        .parse(await runJson('gateways', 'list', '--app', BUNDLE_ID));
      expect(listed).toEqual(
        ['apns_production', 'apns_sandbox', 'fcm', 'web_push'].map((route) => ({
          route,
          credentials: route === 'web_push' ? null : 'all',
          proven: false,
          paused_since: null,
          reason: null,
        })),
      );
      expect(await runJson('gateways', 'resume', '--app', BUNDLE_ID, '--route', 'fcm')).toEqual({
        resumed: [],
      });
    });

    test('the app, key and credentials that were made take effect in the running server', async () => {
      const backend = openBackend(url, key.key);
      for (const [platform, push_token] of [
        ['iOS', 'ab'.repeat(32)],
        ['Android', 'android:one'],
      ]) {
        const device = { platform, push_token };
        expect(await backend.call('POST', '/v6/devices', { device })).toMatchObject({ status: 201 });
      }
      const { id } = await backend.notify('*');
      expect(await backend.untilEnded(id, 15_000)).toMatchObject({ state: 'sent', accepted: 2 });
    });

    test('credentials are replaced without a restart', async () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const unknownKeyFile = path.join(dataDir, 'unknown.p8');
      await writeFile(unknownKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      const backend = openBackend(url, key.key);

      const { stderr, code } = await run(...apnsWords(unknownKeyFile));
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          /^carillon: nothing was stored: Apple refuses the key: .*InvalidProviderToken/,
        ),
      });
      const kept = await backend.notify('*');
      expect(await backend.untilEnded(kept.id, 15_000)).toMatchObject({ devices: 2, accepted: 2 });

      expect(await runPlain(...apnsWords(unknownKeyFile), '--no-check')).toEqual([
        `stored the APNs key of ${BUNDLE_ID}`,
        'not checked with Apple',
      ]);
      const refused = await backend.notify('*');
      expect(await backend.untilEnded(refused.id, 15_000)).toMatchObject({
        devices: 2,
        accepted: 1,
        rejected: 1,
      });

      await runPlain(...apnsWords(files.apnsKeyFile));
      const accepted = await backend.notify('*');
      expect(await backend.untilEnded(accepted.id, 15_000)).toMatchObject({ devices: 2, accepted: 2 });
    });
  }

  test('keys revoke ends a key', async () => {
    const call = async (): Promise<number | undefined> =>
      withServer ? (await openBackend(url, key.key).call('GET', '/v6/notifications')).status : undefined;
    expect(await call()).toBe(withServer ? 200 : undefined);
    expect(await runJson('keys', 'revoke', key.id)).toEqual({ id: key.id, revoked: true });
    // A server knows a key it has seen for two seconds.
    await vi.waitFor(async () => expect(await call()).toBe(withServer ? 401 : undefined), KNOWN_FOR_MS * 2);
  });

  test('keys list shows the keys without their secrets', async () => {
    expect(await runJson('keys', 'list')).toEqual([
      {
        id: key.id,
        name: null,
        bundle_id: BUNDLE_ID,
        scopes: ['read', 'write', 'register'],
        created_at: expect.stringMatching(INSTANT),
        last_used_at: withServer ? expect.stringMatching(INSTANT) : null,
        revoked_at: expect.stringMatching(INSTANT),
      },
    ]);
  });

  if (withServer) {
    test('commands without --json print lines for people', async () => {
      expect(await runPlain('apps', 'create', '--bundle-id', 'com.example.b', '--name', 'B')).toEqual([
        'created the app com.example.b (B)',
      ]);
      expect(await runPlain('apps', 'list')).toEqual([
        expect.stringMatching(/^BUNDLE ID +NAME +CREATED$/),
        expect.stringMatching(/^com\.example\.app +My app +\S+Z$/),
        expect.stringMatching(/^com\.example\.b +B +\S+Z$/),
      ]);
      expect(await runPlain('keys', 'create', '--app', app.id, '--scopes', 'read')).toEqual([
        expect.stringMatching(/^carillon_[\w-]{43}$/),
        `(read for ${BUNDLE_ID}; shown only this once, keep it safe)`,
      ]);
      expect(await runPlain('keys', 'list')).toEqual([
        expect.stringMatching(/^ID +NAME +APP +SCOPES +CREATED +LAST USED +REVOKED$/),
        expect.stringMatching(/^\S+ +com\.example\.app +read +\S+Z +never$/),
        expect.stringMatching(/^\S+ +com\.example\.app +read,write,register +\S+Z +\S+Z +\S+Z$/),
      ]);
      expect(await runPlain('keys', 'revoke', key.id)).toEqual([`revoked ${key.id}`]);
      expect(await runPlain(...fcmWords())).toEqual([
        `stored the service account of ${BUNDLE_ID}`,
        'accepted by Google for the project carillon-simulator',
      ]);
    });

    test.each<[why: string, words: () => string[], line: RegExp]>([
      [
        'a bundle id that is taken',
        () => ['apps', 'create', '--bundle-id', BUNDLE_ID, '--name', 'B'],
        /already an app/,
      ],
      [
        'a bundle id that is none',
        () => ['apps', 'create', '--bundle-id', 'a:b', '--name', 'B'],
        /bundle id/,
      ],
      [
        'a bundle id and a name that are none',
        () => ['apps', 'create', '--bundle-id', 'a:b', '--name', ' '],
        /bundle id must be .*; the name must be/,
      ],
      [
        'an app that is not there',
        () => ['keys', 'create', '--app', 'nope', '--scopes', 'read'],
        /there is no app nope/,
      ],
      [
        'a scope that is none',
        () => ['keys', 'create', '--app', BUNDLE_ID, '--scopes', 'read,fly'],
        /scopes are any of/,
      ],
      ['a key that is not there', () => ['keys', 'revoke', 'nope'], /there is no key nope/],
      ['a file that is not there', () => apnsWords('/nope.p8'), /^carillon: there is no file \/nope\.p8\n$/],
      ['a directory', () => apnsWords('/'), /^carillon: \/ is a directory/],
      [
        'an import that is not there',
        () => ['devices', 'import', '--app', BUNDLE_ID, '/nope'],
        /no file \/nope/,
      ],
      ['a file that is no .p8', () => apnsWords(files.serviceAccountFile), /key/],
      [
        'a file that is no service account',
        () => ['credentials', 'fcm', '--app', BUNDLE_ID, '--service-account', files.apnsKeyFile],
        /service account/,
      ],
    ])('a command with %s is refused with 1 and one line', async (_why, words, line) => {
      const exit = await run(...words());
      expect(exit).toMatchObject({ code: 1, stdout: '' });
      expect(exit.stderr).toMatch(/^carillon: [^\n]+\n$/);
      expect(exit.stderr).toMatch(line);
    });
  }

  test('commands print no secret', async () => {
    const keyText = await readFile(files.apnsKeyFile, 'utf8');
    const account = z
      .object({ private_key: z.string() })
      .parse(JSON.parse(await readFile(files.serviceAccountFile, 'utf8')));
    const secrets = [keyText, account.private_key].flatMap((pem) => pem.split('\n').filter(isSecretLine));
    expect(secrets.length).toBeGreaterThan(2);
    expect(printed.length).toBeGreaterThan(5);
    const everything = printed.join('\n');
    for (const secret of [...secrets, key.key]) expect(everything).not.toContain(secret);
  });

  test(withServer ? 'the database stays up for the server' : 'the database is stopped again', async () => {
    expect(await databaseRuns(dataDir)).toBe(withServer);
  });
});

function apnsWords(keyFile: string): string[] {
  const { keyId, teamId } = files;
  const of = ['--key-id', keyId, '--team-id', teamId];
  return ['credentials', 'apns', '--app', BUNDLE_ID, '--key-file', keyFile, ...of];
}

function fcmWords(): string[] {
  return ['credentials', 'fcm', '--app', BUNDLE_ID, '--service-account', files.serviceAccountFile];
}

function isSecretLine(line: string): boolean {
  return line !== '' && !line.startsWith('-----');
}

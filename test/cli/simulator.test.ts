import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { listeningUrl, useCarillon } from '../support/processes.ts';
import { openBackend } from '../support/simulated-app.ts';

const carillon = useCarillon();

test('the printed lines of the simulator, taken as they are, lead a server to it', async () => {
  const dir = await carillon.makeDir();
  const simulator = carillon.start(['simulator', '--port', '0', '--dir', path.join(dir, 'simulator')], {});
  await simulator.line(/Ctrl-C/);
  const lines = simulator.lines().join('\n');
  const exported = [...lines.matchAll(/^ {2}export (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]);
  const environment = { ...Object.fromEntries(exported), DATA_DIR: path.join(dir, 'data'), PORT: '0' };
  const printed = [...lines.matchAll(/^ {2}npx carillon (credentials .+)$/gm)].map(([, words = '']) =>
    words.split(' '),
  );
  expect(printed).toHaveLength(2);
  const [, subscriptionsUrl = ''] = await simulator.line(/curl -X POST (\S+)$/);
  const browser = await (await fetch(subscriptionsUrl, { method: 'POST' })).json();
  expect(browser).toMatchObject({
    endpoint: expect.stringContaining(`https://${environment['WEB_PUSH_HOSTS']}/push/`),
  });

  const url = await listeningUrl(carillon.start(['start'], environment));
  const run = async (...words: string[]): Promise<string> => {
    const exit = await runCommand(words, environment);
    expect(exit).toMatchObject({ code: 0, stderr: '' });
    return exit.stdout;
  };
  await run('apps', 'create', '--bundle-id', 'com.example.app', '--name', 'App');
  for (const words of printed) await run(...words);
  const [key = ''] = (
    await run('keys', 'create', '--app', 'com.example.app', '--scopes', 'read,write,register')
  ).split('\n');

  const backend = openBackend(url, key);
  await backend.call('POST', '/v6/devices', { device: { platform: 'iOS', push_token: 'ab'.repeat(32) } });
  await backend.call('POST', '/v6/devices', { device: { platform: 'Android', push_token: 'android:one' } });
  const { id } = await backend.notify('*');
  expect(await backend.untilEnded(id, 15_000)).toMatchObject({ state: 'sent', accepted: 2 });
  const [, countsUrl = ''] = await simulator.line(/curl (\S+\/counts)$/);
  expect(await (await fetch(countsUrl)).json()).toMatchObject({
    apns: { accepted: 1 },
    fcm: { accepted: 1 },
  });

  simulator.signal('SIGINT');
  expect(await simulator.exited).toMatchObject({ code: 0, stderr: '' });
});

test('the simulator prints one JSON value with --json, and the files that it names are there', async () => {
  const dir = await carillon.makeDir();
  const words = ['--port', '0', '--dir', dir, '--bundle-id', 'com.example.other', '--json'];
  const simulator = carillon.start(['simulator', ...words], {});
  await simulator.line(/\}$/);
  simulator.signal('SIGTERM');
  const exit = await simulator.exited;
  expect(exit).toMatchObject({ code: 0, stderr: '' });

  const printed: unknown = JSON.parse(exit.stdout);
  expect(printed).toEqual({
    settings: {
      APNS_PRODUCTION_URL: local('https://127\\.0\\.0\\.1:\\d+'),
      APNS_SANDBOX_URL: local('https://127\\.0\\.0\\.1:\\d+'),
      APNS_CHANNELS_PRODUCTION_URL: local('https://127\\.0\\.0\\.1:\\d+'),
      APNS_CHANNELS_SANDBOX_URL: local('https://127\\.0\\.0\\.1:\\d+'),
      FCM_URL: local('https://127\\.0\\.0\\.1:\\d+'),
      GOOGLE_OAUTH_URL: local('https://127\\.0\\.0\\.1:\\d+/token'),
      WEB_PUSH_HOSTS: local('127\\.0\\.0\\.1:\\d+'),
      GATEWAY_CA_FILE: path.join(dir, 'ca.pem'),
    },
    caFile: path.join(dir, 'ca.pem'),
    apnsKeyFile: path.join(dir, 'AuthKey_SIMULATOR1.p8'),
    serviceAccountFile: path.join(dir, 'service-account.json'),
    keyId: 'SIMULATOR1',
    teamId: 'CARILLON01',
    bundleId: 'com.example.other',
    projectId: 'carillon-simulator',
    control: local('http://127\\.0\\.0\\.1:\\d+'),
  });
  for (const file of ['ca.pem', 'AuthKey_SIMULATOR1.p8', 'service-account.json']) {
    expect(await readFile(path.join(dir, file), 'utf8')).toContain('-----BEGIN ');
  }
});

test('a directory that cannot be made ends the simulator with 1 and one line', async () => {
  const exit = await carillon.run(['simulator', '--port', '0', '--dir', '/dev/null/simulator'], {});
  expect(exit).toMatchObject({ code: 1, stdout: '' });
  expect(exit.stderr).toMatch(/^carillon: [^\n]+\/dev\/null\/simulator'\n$/);
});

function local(pattern: string): unknown {
  return expect.stringMatching(new RegExp(`^${pattern}$`));
}

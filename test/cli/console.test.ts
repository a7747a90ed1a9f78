/** The users of the console by command. */
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { findUser } from '../../src/console/accounts/users.ts';
import { openBrowser } from '../console/browser.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { useCommandLine } from './command-line.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const PASSWORD = 'correct horse battery staple';

const commandLine = useCommandLine({ CONSOLE_URL: 'https://push.example.com/console/' });
const { database } = commandLine;
let bundleId: string;
let otherBundleId: string;

beforeAll(async () => {
  ({ bundleId } = await insertApp(database.db));
  ({ bundleId: otherBundleId } = await insertApp(database.db));
});

async function run(...words: string[]): Promise<CommandResult> {
  return commandLine.run('console', ...words);
}

async function runJson(...words: string[]): Promise<unknown> {
  return commandLine.runJson('console', ...words);
}

/** With the password on standard input. */
async function addWithPassword(name: string, password: string): Promise<{ code: unknown; output: string }> {
  const words = ['console', 'add-user', name, '--app', bundleId, '--role', 'viewer', '--password'];
  const { code, stdout, stderr } = await runCommand(words, commandLine.environment(), `${password}\n`);
  return { code, output: stdout + stderr };
}

test('the first user needs no app: it is admin of all that there are', async () => {
  const added = await runJson('add-user', 'first@example.com');
  expect(added).toMatchObject({ role: 'admin', apps: [bundleId, otherBundleId].toSorted() });
  await runJson('remove-user', 'first@example.com');
});

test('a user is added with a link, signs in with it, gets other roles, is signed out and removed', async () => {
  const added = z
    .looseObject({ link: z.string(), id: z.string() })
    .parse(
      await runJson('add-user', 'ann@example.com', '--app', bundleId, otherBundleId, '--role', 'sender'),
    );
  expect(added).toEqual({
    id: expect.stringMatching(UUID),
    name: 'ann@example.com',
    role: 'sender',
    apps: [bundleId, otherBundleId],
    link: expect.stringMatching(/^https:\/\/push\.example\.com\/console\/invite#[\w-]{43}$/),
  });

  const queue = openInProcessQueue({ observe: observeNothing });
  await using server = buildServer({
    db: database.db,
    queue,
    clock: systemClock,
    secret: testSecret,
    observe: observeNothing,
  });
  const browser = openBrowser(server);
  const token = added.link.split('#')[1];
  const follow = { body: { token, password: PASSWORD } };
  expect((await browser.call('POST /console/session/invite', follow)).status).toBe(204);
  expect(await runJson('sessions', 'ANN@example.com')).toMatchObject([{ id: expect.stringMatching(UUID) }]);

  await runJson('set-role', 'ann@example.com', '--app', bundleId, '--role', 'admin');
  await runJson('remove-user', 'ann@example.com', '--app', otherBundleId);
  const users = [
    {
      id: added.id,
      name: 'ann@example.com',
      signs_in: 'password',
      roles: [{ bundle_id: bundleId, role: 'admin' }],
    },
  ];
  expect(await runJson('users')).toMatchObject(users);

  expect(await runJson('sign-out', 'ann@example.com')).toMatchObject({ sessions_ended: 1 });
  expect(await runJson('sessions', 'ann@example.com')).toEqual([]);
  const { link } = z.looseObject({ link: z.string() }).parse(await runJson('invite', 'ann@example.com'));
  expect(link).not.toBe(added.link);
  await runJson('remove-user', 'ann@example.com');
  expect(await runJson('users')).toEqual([]);
  await queue.close();
});

test('the second factor of a user with a lost phone is removed', async () => {
  await addWithPassword('carl', PASSWORD);
  const user = await findUser(database.db, 'carl');
  await database.db
    .insertInto('console_second_factors')
    .values({ user_id: user?.id ?? '', sealed_secret: Buffer.of(1), created_at: new Date() })
    .execute();
  await database.db.updateTable('console_second_factors').set({ confirmed_at: new Date() }).execute();
  expect(await runJson('reset-second-factor', 'carl')).toMatchObject({ id: user?.id, removed: true });
  expect(await database.db.selectFrom('console_second_factors').selectAll().execute()).toEqual([]);
});

test('a password is read from standard input, never printed, and has to be long enough', async () => {
  expect(await addWithPassword('ben', 'short')).toEqual({
    code: 1,
    output: 'carillon: the password must be text of 12 to 256 characters\n',
  });
  const added = await addWithPassword('ben', PASSWORD);
  expect(added).toEqual({ code: 0, output: `added ben as viewer of ${bundleId}\n` });
  const listed = (await run('users')).stdout;
  expect(listed).toMatch(/^ben +viewer of app\.\S+ +a password +20/m);
  expect(listed).not.toContain('argon2');
});

test.each<[words: string[], sentence: RegExp]>([
  [['add-user', 'ben2', '--app', 'nowhere', '--role', 'viewer'], /there is no app nowhere/],
  [['add-user', ' ben', '--app', 'x', '--role', 'viewer'], /the name must be 1 to 255 visible characters/],
  [['add-user', 'ben2', '--app', 'x', '--role', 'owner'], /Allowed choices are viewer, sender, admin/],
  [['add-user', 'ben2'], /name the apps by --app and the role by --role: only the first user needs neither/],
  [['invite', 'nobody'], /there is no user nobody; see "carillon console users"/],
  [['sessions', 'nobody'], /there is no user nobody/],
  [['remove-user', 'nobody'], /there is no user nobody/],
])('the command console %j fails with a sentence', async (words, sentence) => {
  expect(await run(...words)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(sentence),
  });
});

test('a second user with a name, in any case of letters, is refused and leaves nothing', async () => {
  await addWithPassword('cid', PASSWORD);
  expect(await run('add-user', 'CID', '--app', bundleId, '--role', 'admin')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/there is already a user CID; see "carillon console set-role"/),
  });
  expect((await run('users')).stdout).toMatch(/^cid +viewer of /m);
});

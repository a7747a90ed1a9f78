/**
 * The cases that support staff are asked about: each is answered by one call, with its one cause, however much other traffic there
 * was since.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { explainDelivery } from '../../../src/results/explain/explain.ts';
import { readDevicePushes } from '../../../src/results/history/device-pushes.ts';
import { readUserPushes } from '../../../src/results/history/user-pushes.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openPushApp, type PushApp } from './push-app.ts';
import { type Asked, NOON, prepareSupportCases, supportCases } from './support-cases.ts';

const OTHERS = 10_000;

const database = useTestDatabase();
let app: PushApp;

interface Answer {
  says: string;
  at?: string | null;
  sentence: string;
}

async function answerTo(asked: Asked): Promise<Answer> {
  if ('notification' in asked) {
    const key = {
      appId: app.appId,
      notificationId: asked.notification,
      deviceId: asked.device,
      now: app.clock(),
    };
    const { causes } = await explainDelivery(database.db, key);
    return { says: causes[0]?.code ?? '', sentence: causes[0]?.sentence ?? '' };
  }
  const page = { after: undefined, now: app.clock() };
  const { pushes } =
    'device' in asked
      ? await readDevicePushes(database.db, app.appId, asked.device, page)
      : await readUserPushes(database.db, app.appId, { by: 'user_id', value: asked.user }, page);
  const [newest] = pushes;
  if (newest === undefined) throw new Error('there is no push');
  return { says: newest.state, at: newest.at, sentence: newest.explanation };
}

describe(`after ${OTHERS} other pushes of the app`, () => {
  let asked: ReadonlyMap<string, Asked>;
  beforeAll(async () => {
    app = await openPushApp(database.db, NOON);
    asked = await prepareSupportCases(app, database.db);
    await app.createOthers(OTHERS);
  }, 120_000);

  test.each(supportCases)('one call says that $name', async ({ name, says, sentence, at }) => {
    const of = asked.get(name);
    if (of === undefined) throw new Error(`${name} was not prepared`);
    expect(await answerTo(of)).toMatchObject({
      says,
      sentence: expect.stringContaining(sentence),
      ...(at && { at }),
    });
  });
});

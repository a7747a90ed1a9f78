/** An import yields the event loop to other work, and is aborted if its lines are not devices. */
import { beforeEach, describe, expect, test } from 'vitest';
import { importDevices } from '../../../src/devices/import/import.ts';
import { makeEventLoopShare } from '../../../src/scheduling/event-loop-share.ts';
import { insertApp, useTestDatabase } from '../../support/database.ts';
import { tokenKeys } from '../../support/token-keys.ts';
import { chunksOf, lineOf } from './lines.ts';

const database = useTestDatabase();
const noon = (): Date => new Date('2026-11-21T12:00:00.000Z');

let appId: string;
beforeEach(async () => {
  appId = (await insertApp(database.db)).id;
});

async function storedCount(): Promise<number> {
  const rows = await database.db.selectFrom('devices').select('id').where('app_id', '=', appId).execute();
  return rows.length;
}

/** Imports with a clock on which a line takes 0.1 ms. @returns the number of turns of the event loop */
async function countTurns(text: string, chunkBytes: number): Promise<number> {
  let nowMs = 0;
  let given = 0;
  const share = makeEventLoopShare(
    () => (nowMs += 0.1),
    (run) =>
      setImmediate(() => {
        given += 1;
        run();
      }),
  );
  await importDevices(database.db, tokenKeys, appId, chunksOf(text, chunkBytes), noon, share);
  return given;
}

/** The share of a turn is enough for 50 lines. */
const LINES_A_TURN_MAX = 75;

describe('an import yields the event loop', () => {
  const manyBytes = 1024 * 1024;
  test.each([
    ['rejected lines', '{}\n'],
    ['lines that are empty only once they are decoded', '\ufeff\n'],
  ])('an import yields the event loop while it reads %s of one chunk', async (_what, line) => {
    expect(await countTurns(line.repeat(9_000), manyBytes)).toBeGreaterThan(9_000 / LINES_A_TURN_MAX);
  });

  test('an import yields the event loop while it reads good lines of one chunk', async () => {
    const text = Array.from({ length: 1_500 }, () => lineOf({})).join('\n');
    expect(await countTurns(text, manyBytes)).toBeGreaterThan(1_500 / LINES_A_TURN_MAX);
  });

  test('an import yields the event loop at least after every few chunks of newlines', async () => {
    expect(await countTurns('\n'.repeat(200_000), 1_000)).toBeGreaterThan(200 / LINES_A_TURN_MAX);
  });
});

describe('an import of 10,000 rejected lines in a row', () => {
  test('an import with 10,000 rejected lines in a row fails with 422, keeps the lines before, and reports the last', async () => {
    const known = lineOf({});
    await importDevices(database.db, tokenKeys, appId, chunksOf(known), noon);
    const text = [known, lineOf({}), ...Array.from({ length: 10_000 }, () => '{}'), lineOf({})].join('\n');
    await expect(importDevices(database.db, tokenKeys, appId, chunksOf(text), noon)).rejects.toMatchObject({
      status: 422,
      code: 'invalid_request',
      message:
        'The import broke off at line 10002, the last of 10000 rejected in a row. ' +
        'Up to there: 1 imported, 0 updated, 1 unchanged.',
      details: Array.from({ length: 100 }, (_, index) => ({
        path: `line ${index + 3}`,
        message: 'platform must be iOS, Android or Web',
      })),
    });
    expect(await storedCount()).toBe(2);
  });

  test('an import of 10,000 rejected lines with a device in between is read to its end', async () => {
    const bad = Array.from({ length: 9_999 }, () => '{}');
    const text = [...bad, lineOf({}), '', ...bad].join('\n');
    expect(await importDevices(database.db, tokenKeys, appId, chunksOf(text), noon)).toMatchObject({
      imported: 1,
      rejected_count: 19_998,
    });
  });
});

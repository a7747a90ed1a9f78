import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { appearanceOf, createUser, findUser } from '../../../src/console/accounts/users.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

describe('Two names', () => {
  test.each([
    ['paul', 'Paul'],
    ['paul', 'pаul'], // Cyrillic а
    ['ape', 'аре'], // all Cyrillic
    ['PAVEL', 'РАVЕL'],
    ['anton', 'antοn'], // Greek ο
    ['office', 'oﬃce'], // a ligature
    ['anna', 'ａｎｎａ'], // full width
    ['lıly', 'lily'], // dotless
    ['ångström', 'a\u030Angstro\u0308m'], // combining marks
    ['ÄRA', 'ära'],
  ])('%s and %s look the same: the second is taken, and NFKC leads to the first', async (first, second) => {
    expect(appearanceOf(first)).toBe(appearanceOf(second));
    await database.db.deleteFrom('console_users').execute();
    expect(await createUser(database.db, { name: first }, systemClock)).toBeDefined();
    expect(await createUser(database.db, { name: second }, systemClock)).toBeUndefined();
  });

  test.each([
    ['paul', 'paula'],
    ['anna1', 'anna2'],
    ['Иван', 'Ivan'],
    ['Νίκος', 'Nikos'],
    ['山田', '山口'],
    ['strasse', 'straße'],
  ])('%s and %s do not look the same', (first, second) => {
    expect(appearanceOf(first)).not.toBe(appearanceOf(second));
  });
});

test('a user is found under any form of the name', async () => {
  const user = await createUser(database.db, { name: 'Ångström oﬃce' }, systemClock);
  for (const name of ['Ångström office', 'A\u030Angstro\u0308m oﬃce', 'Ångström OFFICE']) {
    expect(await findUser(database.db, name)).toMatchObject({ id: user?.id, name: 'Ångström office' });
  }
});

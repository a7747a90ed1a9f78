/** The command line on a database of the tests, with a `SECRET_KEY` of its own. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { runCommand } from '../support/command.ts';
import { useTestDatabase } from '../support/database.ts';

/** @param more further settings */
export function useCommandLine(more: Readonly<Record<string, string>> = {}) {
  const database = useTestDatabase();
  const SECRET_KEY = randomBytes(32).toString('hex');
  const environment = () => ({ DATABASE_URL: database.url, SECRET_KEY, ...more });
  const run = async (...words: string[]) => runCommand(words, environment());
  return {
    database,
    secret: parseSecretKey(SECRET_KEY),
    environment,
    run,
    /** Runs a command that must succeed. @returns the JSON that it prints */
    runJson: async (...words: string[]): Promise<unknown> => {
      const exit = await run(...words, '--json');
      expect(exit).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(exit.stdout);
    },
  };
}

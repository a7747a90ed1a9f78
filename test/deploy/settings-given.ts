/** Holds the environment that a deployment file gives a process against the settings that there are. */
import { ConfigError, readConfig } from '../../src/process/config.ts';
import { settings } from '../../src/process/settings.ts';

/** Settings that may be read from a file, named by `<name>_FILE`. */
const FROM_FILE = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [name] : []));

/** Stand-ins for what only the operator knows. */
export const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://carillon:password@postgres:5432/carillon',
  REDIS_URL: 'redis://redis:6379',
  SECRET_KEY: '0'.repeat(64),
};

type Environment = Readonly<Record<string, string>>;

/** @returns the names that are not settings */
export function unknownNames(environment: Environment): string[] {
  return Object.keys(environment).filter((name) => !(settingOf(name) in settings));
}

/** @returns what a process would say at its start, with a stand-in for each secret that is in a file */
export function faultsOf(environment: Environment): readonly string[] {
  const given = Object.entries(environment).map(([name, value]) => {
    const setting = settingOf(name);
    return [setting, setting === name ? value : SECRETS[setting]];
  });
  try {
    readConfig(Object.fromEntries(given), false);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** The setting that a variable gives, be it by way of a file. */
export function settingOf(name: string): string {
  return FROM_FILE.find((setting) => name === `${setting}_FILE`) ?? name;
}

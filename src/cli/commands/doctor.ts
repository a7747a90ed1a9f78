import type { Command } from 'commander';
import { systemClock } from '../../clock.ts';
import { type Config, ConfigError } from '../../process/config.ts';
import type { Finding } from '../../doctor/finding.ts';
import { print } from '../print.ts';
import { PrintedFailure, type Terminal } from '../terminal.ts';
import { configOf } from '../with-resources.ts';

export function addTo(doctor: Command, terminal: Terminal): void {
  doctor
    .option('--app <id>', 'check the credentials of the app with this bundle id only')
    .option('--json', 'print one JSON value')
    .action(async ({ app, json }: { app?: string; json?: boolean }) => {
      const findings = await findAll(terminal, app);
      const isWell = findings.every(({ level }) => level !== 'fault');
      print(terminal, json, { ok: isWell, findings }, findings.flatMap(linesOf));
      if (!isWell) throw new PrintedFailure();
    });
}

async function findAll(terminal: Terminal, app: string | undefined): Promise<Finding[]> {
  let config: Config;
  try {
    config = configOf(terminal);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((message) => ({
      check: 'settings',
      level: 'fault',
      message,
      advice: 'see docs/reference.md for the allowed values',
    }));
  }
  // Loaded only here: short commands answer in half the time without it.
  const { examine } = await import('../../doctor/examine.ts');
  return examine(config, systemClock, app);
}

function linesOf({ level, check, message, advice }: Finding): string[] {
  const line = `${level.padEnd(7)}  ${check}: ${message}`;
  return advice === undefined ? [line] : [line, `         → ${advice}`];
}

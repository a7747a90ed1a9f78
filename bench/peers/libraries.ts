/** Starts a peer that is a library in a program of its own, and talks to it by the contract. */
import type { Program } from '../support/programs.ts';
import { answerSchema, type PeerRun, type PeerSettings } from './contract.ts';
import { readAnswer, startProgram } from '../support/programs.ts';
import type { Started } from './measure.ts';

/** A limit at which something is broken: 100 pushes per second. */
const MS_PER_PUSH_MAX = 10;
const START_MS_MAX = 60_000;

/** @param command the program and its arguments */
export function startLibrary(
  command: readonly string[],
  settings: PeerSettings,
): Started & { stop(): Promise<void> } {
  const program = startByContract(command, settings);
  return {
    pids: [program.pid],
    helperPids: [],
    send: async (run: PeerRun) => {
      const answer = readAnswer(program, answerSchema, START_MS_MAX + run.count * MS_PER_PUSH_MAX);
      program.write(`${JSON.stringify(run)}\n`);
      return answer;
    },
    stop: async () => program.stop(),
  };
}

export function startByContract(
  [program = '', ...words]: readonly string[],
  settings: PeerSettings,
): Program {
  return startProgram(program, words, {
    // For libraries that trust what the system trusts.
    environment: { SSL_CERT_FILE: settings.caFile },
    input: `${JSON.stringify(settings)}\n`,
    staysOpen: true,
  });
}

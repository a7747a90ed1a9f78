/** The commands and options of the command line, from its own help. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));

/** The commands of `carillon --help`. */
export async function knownCommands(): Promise<string[]> {
  return wordsOf(await help([]), /^ {2}([a-z]\w*)/gm);
}

/** The options of `carillon <command> --help`. */
export async function knownOptions(command: string): Promise<string[]> {
  return wordsOf(await help([command]), /^ {2}(?:-\w, )?(--[a-z-]+)/gm);
}

async function help(words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [PROGRAM, ...words, '--help'])).stdout;
}

function wordsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, word = '']) => word);
}

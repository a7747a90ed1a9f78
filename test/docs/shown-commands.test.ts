/** The commands that sentences and pages of the console name exist, and the complete ones have what they need. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { ROOT } from './markdown.ts';

const sources = ['src', 'packages/console/src'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
);

/** A complete command stands in a `pre`; a sentence only names the command, in quotes or backticks. */
const complete = found(/<pre class="code"[^>]*>carillon ([^<]+)<\/pre>/g);
const named = found(/["`]carillon ([a-z][a-z -]*)["`]/g);

function found(pattern: RegExp): string[] {
  return [...new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, words = '']) => words)))];
}

/** The words before the first argument or option. */
function nameOf(command: string): string[] {
  const words = command.split(' ');
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

async function helpOf(words: readonly string[]): Promise<string> {
  let help = '';
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      help += String(chunk);
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  await run([...words, '--help'], { env: {}, stdin: Readable.from([]), stdout, stderr });
  return help;
}

it.each([...named, ...complete])('a command that the program names exists: carillon %s', async (command) => {
  const words = nameOf(command);
  expect(words).not.toEqual([]);
  expect(await helpOf(words)).toContain(`Usage: carillon ${words.join(' ')} `);
});

it.each(complete)(
  'a complete command has its arguments and required options: carillon %s',
  async (command) => {
    const words = nameOf(command);
    const help = await helpOf(words);
    const [usage = ''] = help.split('\n');
    const required = [...help.matchAll(/(--[a-z-]+)[^\n]*(?:\n {10,}[^\n]*)*?\(required\)/g)].map(
      ([, option]) => option,
    );
    const given = command.split(' ').slice(words.length);
    expect(given.findIndex((word) => word.startsWith('--'))).toBe(usage.split(/ <[a-z]+>/).length - 1);
    expect(required.filter((option) => option !== undefined && !given.includes(option))).toEqual([]);
  },
);

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Terminal } from './terminal.ts';

/** Asks for a password without showing it, or reads it from standard input if that is not a terminal. */
export async function askPassword({ stdin, stderr }: Terminal, question: string): Promise<string> {
  if (stdin.isTTY !== true) return (await text(stdin)).replace(/\r?\n$/, '');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    stderr.write(question);
    return await lines.question('');
  } finally {
    stderr.write('\n');
    lines.close();
  }
}

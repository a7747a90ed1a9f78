/** Reads a file, or standard input, in chunks, and shows how much was read. */
import { type FileHandle, open } from 'node:fs/promises';
import { Presets, SingleBar } from 'cli-progress';
import { unreadable } from './read-file.ts';
import type { Terminal } from './terminal.ts';

const CHUNK_BYTES = 256 * 1024;

interface Input {
  chunks: AsyncIterable<Uint8Array>;
  /** Undefined for a stream of unknown length. */
  bytes: number | undefined;
}

/** Opens the file before `use` opens the database, so that a wrong name fails at once. */
export async function withInput(
  { stdin }: Terminal,
  file: string,
  use: (input: Input) => Promise<void>,
): Promise<void> {
  if (file === '-') {
    await use({ chunks: stdin, bytes: undefined });
    return;
  }
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    const { size } = await handle.stat();
    await use({ chunks: readChunks(handle), bytes: size });
  } finally {
    await handle.close();
  }
}

async function* readChunks(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
  yield* stream;
}

/** Passes the chunks on, and shows on a terminal how much of the input was read. */
export async function* withProgressBar(
  { stderr }: Terminal,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  const figures =
    bytes === undefined ? '{value} MB' : '{bar} {percentage}% of {total} MB, {eta_formatted} left';
  const bar = new SingleBar({ format: `Importing ${figures}`, stream: stderr }, Presets.shades_classic);
  bar.start(megabytes(bytes ?? 0), 0);
  let taken = 0;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      taken += chunk.length;
      bar.update(megabytes(taken));
    }
  } finally {
    bar.stop();
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

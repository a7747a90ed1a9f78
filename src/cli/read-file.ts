import { readFile } from 'node:fs/promises';

/**
 * Reads the text of a file that an option names.
 * @throws {Error} with a message for the user if it cannot be read
 */
export async function readGivenFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

/** @returns an error whose message says why the file cannot be read */
export function unreadable(file: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new Error(`there is no file ${file}`);
    case 'EISDIR':
      return new Error(`${file} is a directory, not a file`);
    case 'EACCES':
    case 'EPERM':
      return new Error(`the file ${file} is not readable by this user`);
    default:
      return new Error(`the file ${file} cannot be read`, { cause: error });
  }
}

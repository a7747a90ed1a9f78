import { existsSync } from 'node:fs';
import path from 'node:path';

/** Chromium as distributions install it; undefined where there is none. */
export function findChromium(): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => directories.map((directory) => path.join(directory, name)))
    .find((file) => existsSync(file));
}

/** Makes the types and calls of each client from docs/openapi.json. A file that would stay the same is not written. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readApi } from './api.ts';
import { goFiles } from './go.ts';
import { javaFiles } from './java.ts';
import { pythonFiles } from './python.ts';
import { typescriptFiles } from './typescript.ts';

/** @returns the text of each generated file, by its path in `clients/` */
export function generatedFiles(): Map<string, string> {
  const api = readApi();
  return new Map([...goFiles(api), ...javaFiles(api), ...pythonFiles(api), ...typescriptFiles(api)]);
}

export function writeClients(): void {
  for (const [name, text] of generatedFiles()) {
    const file = path.join(import.meta.dirname, '..', name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

if (import.meta.main) writeClients();

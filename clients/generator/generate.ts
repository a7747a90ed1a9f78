/** Makes openapi.json from the server's code, and from it the types and calls of each client, and the types of the console. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { apiDocument } from '../../src/http/openapi/document.ts';
import { readApi } from './api.ts';
import { goFiles } from './go.ts';
import { javaFiles } from './java.ts';
import { pythonFiles } from './python.ts';
import { consoleFiles, typescriptFiles } from './typescript.ts';

const CLIENTS = path.join(import.meta.dirname, '..');
/** All that is in these is generated: a type that the document no longer has leaves no file. */
const GENERATED = ['java/src/main/java/io/github/carillonpush/model/*', 'typescript/src/generated/*'];

/** @returns the text of each generated file, by its path in `clients/` */
export function generatedFiles(): Map<string, string> {
  const document = `${JSON.stringify(apiDocument(), null, 2)}\n`;
  const api = readApi(document);
  return new Map([
    ['openapi.json', document],
    ...goFiles(api),
    ...javaFiles(api),
    ...pythonFiles(api),
    ...typescriptFiles(api),
    ...consoleFiles(readApi(document, 'console')),
  ]);
}

/** A file that would stay the same is not written, so that nothing is built again for it. */
export function writeClients(): void {
  const files = generatedFiles();
  for (const name of globSync(GENERATED, { cwd: CLIENTS })) {
    if (!files.has(name)) rmSync(path.join(CLIENTS, name));
  }
  for (const [name, text] of files) {
    const file = path.join(CLIENTS, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

if (import.meta.main) writeClients();

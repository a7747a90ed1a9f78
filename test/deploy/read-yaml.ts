/** Reads the project's YAML as strictly as it is meant: no warnings, no key twice, merge keys as in compose files. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../docs/markdown.ts';

/** @returns every document of the file. @throws at the first fault, warnings included */
export function readYaml(file: string): unknown[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...parseAllDocuments(text, { merge: true })].map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw new Error(`${file}: ${fault.message}`);
    return document.toJS() as unknown;
  });
}

/**
 * Removes the types of a TypeScript module, so that a browser can run it. Every other character keeps its line and column, so
 * nothing needs a source map.
 */
import { stripTypeScriptTypes } from 'node:module';

/** @throws {SyntaxError} if the source is not TypeScript, or has syntax that is more than types, such as `enum` */
export function stripTypes(source: string): string {
  const usual = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  // Node 24 runs TypeScript as a stable feature, but still warns that this function of it is experimental.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    if (usual !== undefined) Object.defineProperty(process, 'emitWarning', usual);
  }
}

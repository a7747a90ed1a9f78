#!/usr/bin/env node
// Starts the command line on a Node that runs TypeScript directly and makes UUIDs of version 7 (24.16, or 26.1 or later). If the
// machine's own Node does not, this uses the one that npm installed with Carillon. It is plain JavaScript, so that an old Node can run it.
// A release and an image have a bundle in place of the TypeScript (scripts/release/bundle-server.ts).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as crypto from 'node:crypto';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/cli/main.ts', import.meta.url);
const main = existsSync(source) ? source : new URL('../dist/carillon.js', import.meta.url);

if ('randomUUIDv7' in crypto) {
  // Half of the time of a start goes into compiling. The cache belongs to the owner of the code, and is not used if it
  // cannot be written. Threads and child processes find it through the variable.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/compiled', import.meta.url),
  );
  modules.enableCompileCache?.();
  await import(main.href);
} else {
  const own = installedNode();
  if (own === undefined) {
    process.stderr.write(
      `carillon: needs Node 24.16, or 26.1 or later, this is ${process.versions.node}; npm installs one with Carillon ("npm ci" in a checkout), unless it omits optional packages\n`,
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // Ctrl-C in a terminal reaches the child directly; a second SIGINT would end it before it has drained.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

/** The program of npm's package `node`, which lies next to Carillon if Carillon is installed as a package. */
function installedNode() {
  try {
    return modules.createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    return undefined;
  }
}

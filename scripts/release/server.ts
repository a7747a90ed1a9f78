/** The server's package: built, and proved by a demo that is installed from it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readUntilReady } from '../demo-process.ts';
import { machineEnvironment, packNpm, runTool } from './run-tool.ts';
import { stageServer } from './stage-server.ts';

/** The name of the bill of materials in a release. */
const BILL = 'carillon.cdx.json';

export interface InstalledServer {
  url: string;
  /** A key of the demo's app: `read`, `write`, `register`. */
  key: string;
  stop(): Promise<void>;
}

/** @param work an empty folder @returns the name of the package in `dist` */
export async function buildServer(work: string, dist: string): Promise<string> {
  const staged = path.join(work, 'carillon'); // the bill has this name
  await mkdir(staged);
  await writeFile(path.join(dist, BILL), await stageServer(staged));
  return packNpm(staged, dist);
}

/**
 * Installs the package in an empty folder, runs `carillon demo` there, and asks the server for the files that it loads
 * in special ways: pages, modules of the console, the document.
 */
export async function proveServer(file: string, folder: string): Promise<InstalledServer> {
  await runTool('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', file], { cwd: folder });
  const demo = spawn(path.join(folder, 'node_modules/.bin/carillon'), ['demo'], {
    cwd: folder,
    env: { ...machineEnvironment, PORT: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(demo, 'exit');
  const stop = async (): Promise<void> => {
    if (demo.exitCode === null && demo.signalCode === null) demo.kill('SIGTERM');
    await exited;
  };
  try {
    const printed = await readUntilReady(demo);
    const [, key = '', url = '', id = ''] =
      /curl -u :(\S+) (http:\S+?)\/v6\/notifications\/(\S+)/.exec(printed) ?? [];
    const reply = await read(`${url}/v6/notifications/${id}`, key);
    if (!reply.includes('"state":"sent"')) throw new Error(`the demo’s notification is not sent: ${reply}`);
    for (const page of ['/healthz', '/docs', '/openapi.json']) await read(url + page);
    const shell = await read(`${url}/console/`);
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(shell) ?? [];
    await read(new URL(script, `${url}/console/`).href);
    await access(path.join(folder, 'data/demo')); // and not under `node_modules`
    return { url, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function read(url: string, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { authorization: `Basic ${btoa(`:${key}`)}` };
  const reply = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} answers ${reply.status}: ${text}`);
  return text;
}

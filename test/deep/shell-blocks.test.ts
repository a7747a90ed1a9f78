/** Every `sh` block of README.md and docs/ is run, README.md first, and the reply shown under one is compared. */
import { beforeAll, describe, expect, it } from 'vitest';
import { isFree } from '../support/ports.ts';
import { databaseRuns, useCarillon } from '../support/processes.ts';
import { type Fence, fencesOf, readPages } from '../docs/markdown.ts';
import { abridged, shapeOf } from '../docs/reply-shape.ts';
import { runSession, type Session, type SessionPorts } from '../docs/shell-session.ts';

/** A machine at rest needs a third of it. */
const SESSION_MS_MAX = 150_000;

const fences = readPages().flatMap(fencesOf);
const blocks = fences.filter(({ info }) => info === 'sh');
/** Each reply with the block that it stands under. */
const replies = fences.flatMap((fence, index) => {
  const before = fences[index - 1];
  return fence.info === 'json' && before?.info === 'sh' && before.file === fence.file
    ? [{ place: `${before.file}:${before.line}`, block: before, reply: fence }]
    : [];
});

describe('The shell blocks of the documentation', () => {
  const carillon = useCarillon();
  let directory: string;
  let ports: SessionPorts;
  let session: Session;

  beforeAll(async () => {
    directory = await carillon.makeDir();
    ports = await freePorts();
    session = await runSession(blocks, { directory, ports, signal: AbortSignal.timeout(SESSION_MS_MAX) });
  }, SESSION_MS_MAX + 30_000);

  it('the shell blocks run as pasted, one after the other, with every call a success', () => {
    const { exitCode, outputs, stderr } = session;
    const last = blocks[outputs.length - 1];
    const story = `the last block that began is ${last?.file}:${last?.line}\n${outputs.at(-1)}\n${stderr}`;
    expect({ exitCode, begun: outputs.length }, story).toEqual({ exitCode: 0, begun: blocks.length });
  });

  it.each(replies)('the shell blocks are answered as shown: $place', ({ block, reply }) => {
    const shown = shapeOf(parse(reply.text));
    expect(abridged(shapeOf(parse(outputOf(block))), shown)).toEqual(shown);
  });

  it('the shell blocks leave nothing running behind', async () => {
    for (const port of [ports.server, ports.simulator]) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    }
    expect(await databaseRuns(directory)).toBe(false);
  });

  function outputOf(block: Fence): string {
    return session.outputs[blocks.indexOf(block)] ?? '';
  }
});

function parse(text: string): unknown {
  return JSON.parse(text);
}

/** Ports in a row that were free a moment ago, between those of `closedPort` and those that systems hand out. */
async function freePorts(): Promise<SessionPorts> {
  for (;;) {
    const server = 31_000 + Math.floor(Math.random() * 1_700);
    const inRow = Array.from({ length: 7 }, (_, offset) => server + offset);
    const free = await Promise.all(inRow.map(isFree));
    if (free.every(Boolean)) return { server, simulator: server + 1 };
  }
}

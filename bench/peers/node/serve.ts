/** The contract of peers, for those that run in this Node. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type PeerAnswer, type PeerRun, type PeerSettings, runSchema, settingsSchema } from '../contract.ts';

export interface Opened extends PeerSettings {
  ca: string;
  tokens: readonly string[];
}

/** @returns the number of accepted pushes */
export type SendRun = (run: PeerRun) => Promise<number>;

export async function serve(open: (settings: Opened) => SendRun | Promise<SendRun>): Promise<void> {
  let send: SendRun | undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    if (send === undefined) {
      const settings = settingsSchema.parse(JSON.parse(line));
      const [ca, tokens] = [settings.caFile, settings.tokensFile].map((file) => readFileSync(file, 'utf8'));
      send = await open({ ...settings, ca: ca ?? '', tokens: tokens?.split('\n') ?? [] });
      continue;
    }
    const run = runSchema.parse(JSON.parse(line));
    const startedMs = performance.now();
    const accepted = await send(run);
    const answer: PeerAnswer = { accepted, ms: performance.now() - startedMs };
    console.log(JSON.stringify(answer));
  }
  process.exit();
}

export function alertFor(number: number, { different }: PeerRun): string {
  return different ? `Hello user-${number}` : 'Hello';
}

/** Keeps `inFlight` pushes in flight. @param push resolves with whether it was accepted */
export async function inFlight(
  { first, count }: PeerRun,
  limit: number,
  push: (number: number) => Promise<boolean>,
): Promise<number> {
  let next = first;
  let accepted = 0;
  const sendSome = async (): Promise<void> => {
    while (next < first + count) {
      next += 1;
      if (await push(next - 1)) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: limit }, sendSome));
  return accepted;
}

/** Sends pages one after another, some of them at the same time. @param send resolves with the number of accepted pushes */
export async function inPages(
  { first, count }: PeerRun,
  { pages, page }: { pages: number; page: number },
  send: (numbers: number[]) => Promise<number>,
): Promise<number> {
  let next = first;
  let accepted = 0;
  const sendSome = async (): Promise<void> => {
    while (next < first + count) {
      const start = next;
      next = Math.min(start + page, first + count);
      const sent = await send(Array.from({ length: next - start }, (_, index) => start + index));
      accepted += sent;
    }
  };
  await Promise.all(Array.from({ length: pages }, sendSome));
  return accepted;
}

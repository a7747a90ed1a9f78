/** What is wrong at the moment, as the server says: its list of troubles, asked for every two seconds while the page is visible. */
import { useEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import { useWhileVisible } from '../kit/states.tsx';
import type { Readiness, ServerTrouble, Status, Trouble } from '../replies.ts';
import { urlOf } from './api.ts';
import { app } from './session.ts';

/** A trouble of the list, or that the server does not answer, which only the browser knows. */
export type ShownTrouble = Omit<ServerTrouble, 'code'> &
  Partial<Pick<Trouble, 'link' | 'notification_id' | 'webhook_id' | 'route'>> & {
    code: Trouble['code'] | 'server_unreachable';
  };

const MILD: ReadonlySet<ShownTrouble['code']> = new Set([
  'queue_away',
  'connections_full',
  'clock_apart',
  'replica_away',
  'quota_used_up',
  'credentials_missing',
  'webhook_failing',
]);

/** Whether nothing is lost and most goes on while it lasts. */
export function isMild({ code }: Pick<ShownTrouble, 'code'>): boolean {
  return MILD.has(code);
}

const ASK_EVERY_MS = 2_000;
const TIMEOUT_MS = 4_000;

/** Undefined: not known yet. */
export const troubles = signal<readonly ShownTrouble[] | undefined>(undefined);

/** Asks at once: a page that has just been opened, or a reader who has just mended something. */
export function lookForTroubles(): void {
  void look();
}

/** Asks for as long as its component is shown. */
export function useTroubles(): void {
  useEffect(lookForTroubles, []);
  useWhileVisible(ASK_EVERY_MS, look);
}

async function look(): Promise<void> {
  troubles.value = await read();
}

/**
 * Who is signed in is in the database. Where that is away, or too slow to answer in time, the part of the list that everybody may read
 * is read instead.
 */
async function read(): Promise<readonly ShownTrouble[]> {
  const id = app.value?.id;
  try {
    // Not by `call`: a session that has ended leads to the sign-in when the reader does something, and not before.
    const ofApp =
      id === undefined ? undefined : await ask('/v6/status', { 'carillon-app': id }).catch(() => undefined);
    const reply = ofApp?.ok === true ? ofApp : await ask('/readyz');
    const { troubles: ofServer }: Status | Readiness = await reply.json();
    return ofServer;
  } catch {
    return [troubles.peek()?.find(({ code }) => code === 'server_unreachable') ?? unreachable()];
  }
}

async function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(urlOf(path), {
    headers: { accept: 'application/json', ...headers },
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function unreachable(): ShownTrouble {
  return {
    code: 'server_unreachable',
    since: new Date().toISOString(),
    what: 'This page cannot reach the server.',
    effect: 'What it shows is out of date. Whether pushes go on is not known.',
    remedy:
      'Look whether the server runs, and whether this computer and the proxies on the way are connected.',
  };
}

/** The dot in the header: whether the server answers, and whether it reaches its database and its queue. */
import { useEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { Content } from '../kit/content.ts';
import { urlOf } from './api.ts';

type Health = 'unknown' | 'ready' | 'troubled' | 'unreachable';

const ASK_EVERY_MS = 20_000;
const TIMEOUT_MS = 5_000;

const health = signal<Health>('unknown');

const texts: Readonly<Record<Health, string>> = {
  unknown: 'Asking the server …',
  ready: 'The server is ready',
  troubled: 'The server does not reach its database or its queue',
  unreachable: 'The server cannot be reached',
};

async function ask(): Promise<Health> {
  try {
    const { ok } = await fetch(urlOf('/readyz'), {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return ok ? 'ready' : 'troubled';
  } catch {
    return 'unreachable';
  }
}

/** Asks while the page is visible. */
export function HealthDot(): Content {
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (document.visibilityState === 'visible') health.value = await ask();
    };
    void look();
    const timer = setInterval(() => void look(), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const text = texts[health.value];
  return <span class={`health ${health.value}`} role="img" aria-label={text} title={text} />;
}

/**
 * Loads data for a component, aborts the request when it is no longer needed, and keeps the last data while it reloads. While
 * the server cannot answer, it tries again every few seconds, so that a page mends itself.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { ApiFailure } from '../frame/api.ts';

/** Pauses grow from the first to the second; each is half of it to all of it, so that the pages of many readers do not ask at once. */
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 4_000;

export interface Resource<Data> {
  /** The last data that arrived; undefined before the first. */
  data: Data | undefined;
  /** Why the last request failed; undefined after a success. */
  error: unknown;
  isLoading: boolean;
}

/**
 * @param load is called at once, and again when a dependency changes or `reload` is called; then the old signal aborts
 * @param dependencies as for `useEffect`
 */
export function useResource<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[],
): {
  state: ReadonlySignal<Resource<Data>>;
  reload: () => void;
  /** Reloads for news, unless a request is on its way or will be repeated by itself. */
  refresh: () => void;
} {
  const state = useSignal<Resource<Data>>({ data: undefined, error: undefined, isLoading: true });
  const round = useSignal(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    state.value = { ...state.peek(), isLoading: true };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pauseMs = AGAIN_MS;
    const run = async (): Promise<void> => {
      try {
        const data = await latest.current(signal);
        if (!signal.aborted) state.value = { data, error: undefined, isLoading: false };
      } catch (error) {
        if (signal.aborted) return;
        state.value = { ...state.peek(), error, isLoading: false };
        if (!mayPass(error)) return;
        timer = setTimeout(() => void run(), pauseMs * (0.5 + Math.random() / 2));
        pauseMs = Math.min(2 * pauseMs, AGAIN_MS_MAX);
      }
    };
    void run();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [...dependencies, round.value]);
  const reload = (): void => {
    round.value += 1;
  };
  const refresh = (): void => {
    const { isLoading, error } = state.peek();
    if (!isLoading && !mayPass(error)) reload();
  };
  return { state, reload, refresh };
}

/** Whether the same request may succeed a moment later: there was no answer, or the server is in trouble. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 0 || error.status >= 502);
}

/**
 * A value that follows another after that has not changed for a moment: for requests while somebody types.
 * @param value a text or a number, because it is compared by identity
 */
export function useDebounced<Value extends string | number>(value: Value, ms: number): Value {
  const [late, setLate] = useState<Value>(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return late;
}

/**
 * Calls `run` at an interval while the page is visible: not at once, and not before the last call has ended.
 * @param everyMs undefined: never
 */
export function useWhileVisible(everyMs: number | undefined, run: () => void | Promise<void>): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    let isRunning = false;
    const tick = async (): Promise<void> => {
      if (isRunning || document.visibilityState !== 'visible') return;
      isRunning = true;
      await latest.current();
      isRunning = false;
    };
    const timer = setInterval(() => void tick(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

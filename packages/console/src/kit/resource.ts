/**
 * Loads data for a component, aborts the request when it is no longer needed, and keeps the last data while it reloads. While
 * the server cannot answer, it tries again every two seconds, so that a page mends itself.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { ApiFailure } from '../frame/api.ts';

/** Half of it to one and a half times as much, so that the pages of many readers do not ask at once. */
const AGAIN_MS = 2_000;

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
): { state: ReadonlySignal<Resource<Data>>; reload: () => void } {
  const state = useSignal<Resource<Data>>({ data: undefined, error: undefined, isLoading: true });
  const round = useSignal(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    state.value = { ...state.peek(), isLoading: true };
    const run = async (): Promise<void> => {
      try {
        const data = await latest.current(signal);
        if (!signal.aborted) state.value = { data, error: undefined, isLoading: false };
      } catch (error) {
        if (signal.aborted) return;
        state.value = { ...state.peek(), error, isLoading: false };
        if (!mayPass(error)) return;
        const timer = setTimeout(() => void run(), AGAIN_MS * (0.5 + Math.random()));
        signal.addEventListener('abort', () => clearTimeout(timer));
      }
    };
    void run();
    return () => controller.abort();
  }, [...dependencies, round.value]);
  return { state, reload: () => (round.value += 1) };
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

/**
 * Data of a component, and what it shows while it has none: loading, failed, empty. A request is aborted when it is no longer needed,
 * and the last data stay while they are read again. While the server cannot answer, it is asked again every few seconds, so that a
 * page mends itself.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, call } from '../frame/api.ts';
import { app } from '../frame/session.ts';
import type { Content } from './content.ts';
import { Curl } from './developer/curl.tsx';
import { formatTime, zoneName } from './format.ts';
import { Icon, type IconName } from './icon.tsx';

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

interface Again {
  reload: () => void;
  /** Reloads for news, unless a request is on its way or will be repeated by itself. */
  refresh: () => void;
}

/** @returns the reply to a call, which is sent at once, and again when it changes or the app does */
export function useReply<Reply>(request: ApiCall): Resource<Reply> & Again & { request: ApiCall } {
  const { state, ...again } = useResource<Reply>(
    async (signal) => call(request, signal),
    [app.value?.id, JSON.stringify(request)],
  );
  return { ...state.value, ...again, request };
}

/**
 * @param load is called at once, and again when a dependency changes or `reload` is called; then the old signal aborts
 * @param dependencies as for `useEffect`
 */
export function useResource<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[],
): Again & { state: ReadonlySignal<Resource<Data>> } {
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

/** A value that follows another after that has not changed for a moment: for requests while somebody types. */
export function useDebounced<Value extends string | number>(value: Value, ms: number): Value {
  const [late, setLate] = useState<Value>(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return late;
}

/** Calls `run` at an interval while the page is visible: not at once, and not before the last call has ended. */
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

/** The outlines of what is to come. They appear only after a moment, so that quick replies do not flicker. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{what} …</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/**
 * Until there are data: why the last request failed, else that it is on its way. Nothing once there are some and all is well.
 * @param props.of what `useReply` has returned, whose call the drawer for developers then shows; or another resource, with `retry`
 */
export function Waiting(props: {
  of: Resource<unknown> & Partial<Again> & { request?: ApiCall };
  retry?: () => void;
  what?: string;
}) {
  const { of: resource, retry = resource.reload, what } = props;
  const { data, error, request } = resource;
  return (
    <>
      {request !== undefined && <Curl call={request} />}
      {error !== undefined && <Failure error={error} {...(retry !== undefined && { retry })} />}
      {error === undefined && data === undefined && <Loading {...(what !== undefined && { what })} />}
    </>
  );
}

const UTC_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A refusal in the API's words. Several faults are listed; a single one is in the sentence already. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const failure = error instanceof ApiFailure ? error : undefined;
  const text = error instanceof Error ? error.message : String(error);
  const isServerFault = failure !== undefined && failure.status >= 500; // below, a time may be the reader's own
  const message = isServerFault ? text.replace(UTC_TIME, (at) => `${formatTime(at)} ${zoneName(at)}`) : text;
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{message}</p>
        {failure !== undefined && failure.details.length > 1 && (
          <ul>
            {failure.details.map(({ path, message: fault }) => (
              <li key={path}>
                {path !== '' && <code>{path}</code>} {fault}
              </li>
            ))}
          </ul>
        )}
        {failure?.requestId !== undefined && isServerFault && (
          <p class="muted">
            Request <code>{failure.requestId}</code>
          </p>
        )}
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** Says why there is nothing, and what to do next. */
export function Empty({ title, icon = 'search', children }: { title: string; icon?: IconName; children?: Content }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      {children}
    </div>
  );
}

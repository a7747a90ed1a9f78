/** Reads the live stream of a notification. It is read by `fetch`, because an `EventSource` cannot name the app. */
import { useEffect, useRef } from 'preact/hooks';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { ApiFailure, open } from '../../frame/api.ts';
import { notificationPath } from './notification.tsx';
import type { NotificationProgress } from '../../replies.ts';

const AGAIN_MS = 3_000;
/** The server sends something every 15 seconds. */
const SILENT_MS = 40_000;
/** Two hours of a bulk notification. */
const POINTS_MAX = 7_200;

export interface RatePoint {
  /** Unix seconds. */
  at: number;
  /** Devices per second. */
  rate: number;
}

export interface Live {
  progress: NotificationProgress | undefined;
  /** The rate since the page was opened. */
  points: readonly RatePoint[];
  /** Whether the stream has broken off; it is opened again. */
  isLost: boolean;
  /** Why the stream cannot be opened. */
  error: unknown;
}

/** @param onEnd called once, when the notification has ended */
export function useLive(id: string, onEnd: () => void): ReadonlySignal<Live> {
  const live = useSignal<Live>({ progress: undefined, points: [], isLost: false, error: undefined });
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = (progress: NotificationProgress): void => {
      const { progress: before, points } = live.peek();
      const point = pointBetween(before, progress);
      const next = point === undefined ? points : [...points, point].slice(-POINTS_MAX);
      live.value = { progress, points: next, isLost: false, error: undefined };
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          if (await readStream(id, signal, show)) return ended.current();
        } catch (error) {
          if (signal.aborted) return undefined;
          if (error instanceof ApiFailure && error.status >= 400 && error.status < 500) {
            live.value = { ...live.peek(), error };
            return undefined;
          }
        }
        live.value = { ...live.peek(), isLost: true };
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
      return undefined;
    };
    void follow();
    return () => controller.abort();
  }, [id]);
  return live;
}

/** @returns whether the notification has ended; false if the stream broke off */
async function readStream(
  id: string,
  signal: AbortSignal,
  show: (progress: NotificationProgress) => void,
): Promise<boolean> {
  const silence = new AbortController();
  const response = await open(
    { method: 'GET', path: `${notificationPath(id)}/live` },
    AbortSignal.any([signal, silence.signal]),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return false;
  let text = '';
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (data === undefined) continue;
        const progress: NotificationProgress = JSON.parse(data);
        show(progress);
        if (/^event: end$/m.test(event)) return true;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

function pointBetween(
  before: NotificationProgress | undefined,
  now: NotificationProgress,
): RatePoint | undefined {
  if (before === undefined || now.started_at === null) return undefined;
  const at = Date.parse(now.at) / 1_000;
  const seconds = at - Date.parse(before.at) / 1_000;
  if (seconds <= 0) return undefined;
  const done = now.devices - now.pending - (before.devices - before.pending);
  return { at, rate: Math.max(0, done / seconds) };
}

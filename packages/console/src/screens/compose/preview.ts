/** The server's reply about the draft: its faults, its size, the compiled pushes, and the number of devices. */
import { useRef } from 'preact/hooks';
import { type ApiCall, ApiFailure, call, parseExact } from '../../frame/api.ts';
import { useDebounced, useResource } from '../../kit/states.tsx';
import type { CompiledNotification, DeviceCount, NotificationPreview } from '../../replies.ts';
import { emptyLanguages, withoutEmptyLanguages } from './draft/content-sections.ts';
import { bodyFrom, readNotification, textFrom } from './draft/draft.ts';
import { faultsOf, type Refusal } from './draft/faults.ts';
import type { JsonObject } from './draft/members.ts';
import { countCall } from './draft/target.ts';

/** Long enough to send no request for most letters while somebody types. */
const QUIET_MS = 200;

export type ShownPreview = ReturnType<typeof usePreview>;

export function usePreview(text: string) {
  const late = useDebounced(text, QUIET_MS);
  const lastCompiled = useRef<CompiledNotification>(undefined);
  const { notification } = readNotification(late);
  const request = notification && previewCall(late, notification);
  const { state } = useResource(
    async (signal) => ({ of: late, preview: request && (await ask(request, signal)) }),
    [late],
  );
  const { data, error } = state.value;
  const preview = data?.preview;
  if (preview?.compiled) lastCompiled.current = preview.compiled;
  const refusal = preview?.refusal ?? undefined;
  return {
    /** Undefined while creation would accept the draft, and until that is known. */
    refusal,
    /** All that stands against sending it; empty until that is known. */
    faults: preview && notification ? faultsOf(notification, { refusal, warnings: preview.warnings }) : [],
    /** The last preview that could be compiled. */
    compiled: lastCompiled.current,
    /** Whether `compiled` shows an older state of the draft, because the present one cannot be compiled. */
    isOutdated: preview === undefined || preview.compiled === null,
    /** Whether the server has seen the present text. */
    isCurrent: data?.of === text && error === undefined,
    error,
  };
}

/** A language without a text yet does not keep the rest from being drawn. */
export function previewCall(text: string, notification: JsonObject): ApiCall {
  const compilable =
    emptyLanguages(notification).length === 0 ? text : textFrom(withoutEmptyLanguages(notification));
  return { method: 'POST', path: '/v6/notifications/preview', body: bodyFrom(compilable) };
}

type Answer = Omit<NotificationPreview, 'refusal'> & { refusal: Refusal | null };

/** A body that the server cannot read, such as one with a key twice, is a refusal too. */
async function ask(request: ApiCall, signal: AbortSignal): Promise<Answer> {
  try {
    return await call<NotificationPreview>(request, signal);
  } catch (error) {
    if (!(error instanceof ApiFailure) || ![400, 413, 422].includes(error.status)) throw error;
    const { status, code, message, details } = error;
    return { refusal: { status, code, error: message, details }, compiled: null, warnings: [] };
  }
}

/** Why the draft could not be sent as it is; undefined if it could. */
export function reasonAgainst({ faults, isCurrent }: ShownPreview): string | undefined {
  const first = faults.find(({ kind }) => kind !== 'warning');
  return first?.sentence ?? (isCurrent ? undefined : 'It is being checked …');
}

const COUNT_QUIET_MS = 300;

export type Counted = ReturnType<typeof useCount>;

/** @param to the value of `to`; a new count aborts the previous one */
export function useCount(to: unknown) {
  const written = JSON.stringify(to) ?? '';
  const late = useDebounced(written, COUNT_QUIET_MS);
  const request = late === '' ? undefined : countCall(parseExact(late));
  const { state, reload } = useResource(
    async (signal) => ({ of: late, count: request && (await call<DeviceCount>(request, signal)) }),
    [late],
  );
  const { data, error, isLoading } = state.value;
  const isCurrent = data?.of === written;
  return {
    count: isCurrent ? data.count : undefined,
    isCounting: request !== undefined || isLoading || written !== late,
    error: isLoading ? undefined : error,
    reload,
  };
}

/** The server's reply about the draft: its faults, its size, and the compiled pushes. */
import { useRef } from 'preact/hooks';
import { ApiFailure, type ApiCall, call } from '../../frame/api.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';
import { bodyFrom, readNotification } from './draft/json.ts';
import type { CompiledNotification, NotificationPreview } from '../../replies.ts';
import type { Refusal } from '../../tray/preview-reply.ts';

/** Long enough to send no request for most letters while somebody types. */
const QUIET_MS = 200;

export interface ShownPreview {
  /** Undefined while creation would accept the draft, and until that is known. */
  refusal: Refusal | undefined;
  /** The last preview that could be compiled. */
  compiled: CompiledNotification | undefined;
  /** Whether `compiled` shows an older state of the draft, because the present one cannot be compiled. */
  isOutdated: boolean;
  /** Whether the server has seen the present text. */
  isCurrent: boolean;
  /** Set if the server could not be asked. */
  error: unknown;
  call: ApiCall | undefined;
}

export function usePreview(text: string): ShownPreview {
  const late = useDebounced(text, QUIET_MS);
  const lastCompiled = useRef<CompiledNotification>(undefined);
  const isJson = readNotification(late).fault === undefined;
  const request = isJson ? previewCall(late) : undefined;
  const { state } = useResource(
    async (signal) => ({ of: late, preview: request && (await ask(request, signal)) }),
    [late],
  );
  const { data, error } = state.value;
  const preview = data?.preview;
  if (preview?.compiled) lastCompiled.current = preview.compiled;
  return {
    refusal: preview?.refusal ?? undefined,
    compiled: lastCompiled.current,
    isOutdated: preview === undefined || preview.compiled === null,
    isCurrent: data?.of === text && error === undefined,
    error,
    call: request,
  };
}

function previewCall(text: string): ApiCall {
  return { method: 'POST', path: '/v6/notifications/preview', body: bodyFrom(text) };
}

interface Answer {
  refusal: Refusal | null;
  compiled: CompiledNotification | null;
}

/** A body that the server cannot read, such as one with a key twice, is a refusal too. */
async function ask(request: ApiCall, signal: AbortSignal): Promise<Answer> {
  try {
    return await call<NotificationPreview>(request, signal);
  } catch (error) {
    if (!(error instanceof ApiFailure) || ![400, 413, 422].includes(error.status)) throw error;
    const { status, code, message, details } = error;
    return { refusal: { status, code, error: message, details }, compiled: null };
  }
}

/** @returns the fault of a member of the notification, such as `payload.badge` */
export function faultAt(refusal: Refusal | undefined, path: string): string | undefined {
  return refusal?.details?.find((fault) => fault.path === `notification.${path}`)?.message;
}

/** The server's reply about the draft: its faults, its size, and the compiled pushes. */
import { useRef } from 'preact/hooks';
import { ApiFailure, type ApiCall, call } from '../../frame/api.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';
import { emptyLanguages, withoutEmptyLanguages } from './draft/content-sections.ts';
import { type Fault, faultsOf } from './draft/faults.ts';
import { bodyFrom, readNotification, textFrom } from './draft/json.ts';
import type { JsonObject } from './draft/members.ts';
import type { CompiledNotification, NotificationPreview, PreviewWarning } from '../../replies.ts';
import type { Refusal } from '../../tray/preview-reply.ts';

/** Long enough to send no request for most letters while somebody types. */
const QUIET_MS = 200;

export interface ShownPreview {
  /** Undefined while creation would accept the draft, and until that is known. */
  refusal: Refusal | undefined;
  /** All that stands against sending it; empty until that is known. */
  faults: readonly Fault[];
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
  const { notification } = readNotification(late);
  const request = notification && previewCall(compilableText(late, notification));
  const { state } = useResource(
    async (signal) => ({ of: late, preview: request && (await ask(request, signal)) }),
    [late],
  );
  const { data, error } = state.value;
  const preview = data?.preview;
  if (preview?.compiled) lastCompiled.current = preview.compiled;
  const refusal = preview?.refusal ?? undefined;
  return {
    refusal,
    faults: preview && notification ? faultsOf(notification, { refusal, warnings: preview.warnings }) : [],
    compiled: lastCompiled.current,
    isOutdated: preview === undefined || preview.compiled === null,
    isCurrent: data?.of === text && error === undefined,
    error,
    call: request,
  };
}

/** A language without a text yet does not keep the rest from being drawn. */
export function compilableText(text: string, notification: JsonObject): string {
  return emptyLanguages(notification).length === 0 ? text : textFrom(withoutEmptyLanguages(notification));
}

function previewCall(text: string): ApiCall {
  return { method: 'POST', path: '/v6/notifications/preview', body: bodyFrom(text) };
}

interface Answer {
  refusal: Refusal | null;
  compiled: CompiledNotification | null;
  warnings: readonly PreviewWarning[];
}

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

/** @returns the fault of a member of the notification, such as `payload.badge` */
export function faultAt(refusal: Refusal | undefined, path: string): string | undefined {
  return refusal?.details?.find((fault) => fault.path === `notification.${path}`)?.message;
}

/** Why the draft could not be sent as it is; undefined if it could. */
export function reasonAgainst({ faults, isCurrent }: ShownPreview): string | undefined {
  const first = faults.find(({ kind }) => kind !== 'warning');
  return first?.sentence ?? (isCurrent ? undefined : 'It is being checked …');
}

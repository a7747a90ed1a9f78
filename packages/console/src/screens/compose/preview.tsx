/**
 * The server's reply about the draft: its faults, its size, the compiled pushes, and the number of devices. And the column that shows
 * the section that is being written, as phones show it or as one device would get it, with the number of bytes left.
 */
import { useRef, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, call, parseExact } from '../../frame/api.ts';
import { app } from '../../frame/session.ts';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { TextField } from '../../kit/form.tsx';
import { formatNumber, languageName } from '../../kit/format.ts';
import { useDebounced, useResource } from '../../kit/states.tsx';
import type { CompiledForDevice, CompiledNotification, DeviceCount, NotificationPreview } from '../../replies.ts';
import { EmptyTray, Trays } from '../../tray/tray.tsx';
import { versionFor, versionsOf, versionWords } from '../../tray/versions.tsx';
import { emptyLanguages, withoutEmptyLanguages } from './draft/content-sections.ts';
import { bodyFrom, draft, readNotification, textFrom, written } from './draft/draft.ts';
import { faultsOf, type Refusal } from './draft/faults.ts';
import type { JsonObject } from './draft/members.ts';
import { countCall } from './draft/target.ts';
import { variantName } from './draft/variants.ts';
import { chosenSection, Folded } from './form.tsx';

/** Long enough to send no request for most letters while somebody types. */
const QUIET_MS = 250;

/**
 * The reply to a request that changes while somebody types: it is sent once it stays the same, and aborts the one before it.
 * @returns `isCurrent`: whether `data` are the reply to the present request
 */
export function useLateReply<Reply>(
  request: ApiCall | undefined,
  ask: (request: ApiCall, signal: AbortSignal) => Promise<Reply> = call,
) {
  const present = JSON.stringify(request) ?? '';
  const { state, reload } = useResource(
    async (signal) => ({ to: present, reply: request && (await ask(request, signal)) }),
    [useDebounced(present, QUIET_MS)],
  );
  const { data, error, isLoading } = state.value;
  return { data: data?.reply, error, isLoading, isCurrent: data?.to === present, reload };
}

export type ShownPreview = ReturnType<typeof usePreview>;

export function usePreview(text: string) {
  const lastCompiled = useRef<CompiledNotification>(undefined);
  const { notification } = readNotification(text);
  const { data, error, isCurrent } = useLateReply(
    notification && previewCall(text, notification),
    async (request, signal) => {
      const { refusal, compiled, warnings } = await readPreview(request, signal);
      return { refusal, compiled, faults: faultsOf(notification ?? {}, { refusal, warnings }) };
    },
  );
  lastCompiled.current = data?.compiled ?? lastCompiled.current;
  return {
    /** Undefined while creation would accept the draft, and until that is known. */
    refusal: data?.refusal,
    /** All that stands against sending it; empty until that is known. */
    faults: data?.faults ?? [],
    /** The last preview that could be compiled. */
    compiled: lastCompiled.current,
    /** Whether `compiled` shows an older state of the draft, because the present one cannot be compiled. */
    isOutdated: !data?.compiled,
    /** Whether the server has seen the present text. */
    isCurrent: isCurrent && error === undefined,
    error,
  };
}

/** A language without a text yet does not keep the rest from being drawn. */
function previewCall(text: string, notification: JsonObject): ApiCall {
  const compilable = emptyLanguages(notification).length === 0 ? text : textFrom(withoutEmptyLanguages(notification));
  return { method: 'POST', path: '/v6/notifications/preview', body: bodyFrom(compilable) };
}

type Answer = Omit<NotificationPreview, 'refusal'> & { refusal?: Refusal | undefined };

/** A body that the server cannot read, such as one with a key twice, is a refusal too. */
async function readPreview(request: ApiCall, signal: AbortSignal): Promise<Answer> {
  try {
    const { refusal, ...preview } = await call<NotificationPreview>(request, signal);
    return { ...preview, refusal: refusal ?? undefined };
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

export type Counted = ReturnType<typeof useCount>;

/** @param to the value of `to` */
export function useCount(to: unknown) {
  const request = countCall(to);
  const { data, error, isLoading, isCurrent, reload } = useLateReply<DeviceCount>(request);
  return {
    count: isCurrent ? data : undefined,
    isCounting: request !== undefined || isLoading || !isCurrent,
    error: isLoading ? undefined : error,
    reload,
  };
}

export function PreviewColumn({ notification, preview }: { notification: JsonObject; preview: ShownPreview }) {
  const { compiled, isOutdated } = preview;
  return (
    <aside class="stack compose-preview" aria-label="Preview">
      <h2 class="visually-hidden">Preview</h2>
      {compiled === undefined ? (
        <EmptyTray>Write a text, and it appears here.</EmptyTray>
      ) : (
        <Shown notification={notification} compiled={compiled} isOutdated={isOutdated} />
      )}
    </aside>
  );
}

function Shown(props: { notification: JsonObject; compiled: CompiledNotification; isOutdated: boolean }) {
  const { notification, compiled, isOutdated } = props;
  const { variant: index, language } = chosenSection(notification);
  const variant = index === undefined ? undefined : variantName(notification, index);
  const [id, setId] = useState('');
  const { device, fault } = useDevicePreview(id, variant);
  const version = versionFor(compiled, { variant, locale: language });
  const shown = device ?? version;
  return (
    <>
      {compiled.versions.length > 0 && device === undefined && (
        <p class="muted" aria-live="polite">
          <bdi>{versionWords(version)}</bdi> is shown, one of {compiled.versions.length + 1}.
        </p>
      )}
      {!device?.dropped && (
        <>
          <Trays
            compiled={{ ...shown, notification_id: compiled.notification_id }}
            appName={app.value?.name ?? ''}
            isOutdated={isOutdated}
          />
          <Budget compiled={compiled} />
          <ForDevelopers title="What the gateways get">
            {GATEWAYS.map(({ gateway, name }) => {
              const request = shown[gateway];
              return (
                request !== null && (
                  <>
                    <h3>{name}</h3>
                    {'headers' in request && <JsonView value={request.headers} label={`Headers for ${name}`} />}
                    <JsonView value={parseExact(request.body)} label={`Body for ${name}`} />
                  </>
                )
              );
            })}
          </ForDevelopers>
        </>
      )}
      <Folded summary="As one device gets it" open={id !== ''}>
        <TextField label="Id of the device" code value={id} error={fault} onInput={(text) => setId(text.trim())} />
        {device !== undefined && fault === undefined && <DeviceWords device={device} />}
      </Folded>
    </>
  );
}

const GATEWAYS = [
  { gateway: 'apns', name: 'Apple' },
  { gateway: 'fcm', name: 'Google' },
  { gateway: 'web_push', name: 'browsers' },
] as const;

/**
 * The version of the draft that one device would get: its language, its variant, and its values in the texts.
 * @param id as written; '' for none
 * @param variant the name of the variant to show; undefined: the one that the device gets, if that is known
 * @returns `device` is undefined without an id, and while the draft cannot be compiled
 */
function useDevicePreview(id: string, variant: string | undefined) {
  const notification = id === '' ? undefined : written();
  const request = notification && previewCall(draft.value.text, notification);
  const members = JSON.stringify({ device_id: id, variant }).slice(1, -1);
  const body = String(request?.body).replace('{', () => `{${members},`);
  const { data, error } = useLateReply<NotificationPreview>(request && { ...request, body });
  if (id === '') return { device: undefined, fault: undefined };
  return { device: data?.compiled?.device ?? undefined, fault: faultOf(error) };
}

function faultOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (!(error instanceof ApiFailure)) return 'The server could not be asked.';
  return error.details.find(({ path }) => path === 'device_id')?.message ?? error.message;
}

const DROPPED = {
  missing_attribute: 'This device would get nothing: a template needs an attribute that it does not have.',
  held_out: 'This device would get nothing: it is in the hold-out.',
};

const VARIANT_BY = {
  experiment: 'is its variant, because the name of the experiment decides',
  request: 'is shown, as chosen in the form',
  none: 'is shown; the device’s own variant is decided only when the notification is created',
};

function DeviceWords({ device }: { device: CompiledForDevice }) {
  const { dropped, locale, variant, variant_by: by } = device;
  return (
    <p role="status">
      {dropped === null ? (
        <>
          It gets <bdi>{locale === null ? 'the default language' : languageName(locale)}</bdi>.{' '}
          {variant !== null && by !== null && <bdi>{`Variant ${variant} ${VARIANT_BY[by]}.`}</bdi>}
        </>
      ) : (
        <strong class="fault">{DROPPED[dropped]}</strong>
      )}
    </p>
  );
}

/** The payload size against each gateway's limit, for the longest version. */
export function Budget({ compiled }: { compiled: CompiledNotification }) {
  const apple = longest(compiled, 'apns');
  const google = longest(compiled, 'fcm');
  return (
    <div class="stack close hint">
      {apple !== undefined && <Meter gateway="Apple" {...apple} />}
      {google !== undefined && <Meter gateway="Google" {...google} />}
      {apple !== undefined && compiled.versions.length > 0 && (
        <p>
          The longest is <bdi>{apple.of}</bdi>
          {google !== undefined && apple.of !== google.of && `, for Google ${google.of}`}.
        </p>
      )}
    </div>
  );
}

function longest(compiled: CompiledNotification, gateway: 'apns' | 'fcm') {
  const [most] = versionsOf(compiled)
    .flatMap((version) => {
      const request = version[gateway];
      return request === null ? [] : [{ ...request, of: versionWords(version) }];
    })
    .sort((one, other) => other.bytes - one.bytes);
  return most;
}

function Meter({ gateway, bytes, bytes_left: left }: { gateway: string; bytes: number; bytes_left: number }) {
  const max = bytes + left;
  const words = left < 0 ? `${formatNumber(-left)} bytes too many` : `${formatNumber(left)} bytes left`;
  return (
    <div class={left < 0 ? 'fault compose-meter' : 'compose-meter'}>
      <span>{gateway}</span>
      <span
        class="bar"
        role="meter"
        aria-label={`Bytes for ${gateway}`}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(bytes, max)}
        aria-valuetext={words}>
        <span style={{ flexGrow: bytes / max, background: 'var(--accent)' }} />
      </span>
      <span title={`${formatNumber(bytes)} of ${formatNumber(max)} bytes`}>{words}</span>
    </div>
  );
}

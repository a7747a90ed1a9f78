/** The section that is being written, as phones show it or as one device would get it, and the number of bytes left. */
import { useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, call, parseExact } from '../../frame/api.ts';
import { app } from '../../frame/session.ts';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { TextField } from '../../kit/form.tsx';
import { formatNumber, languageName } from '../../kit/format.ts';
import { useDebounced, useResource } from '../../kit/states.tsx';
import type { CompiledForDevice, CompiledNotification, NotificationPreview } from '../../replies.ts';
import { EmptyTray, Trays } from '../../tray/tray.tsx';
import { versionFor, versionsOf, versionWords } from '../../tray/versions.tsx';
import { draft, readNotification } from './draft/draft.ts';
import type { JsonObject } from './draft/members.ts';
import { variantName } from './draft/variants.ts';
import { chosenSection, Folded } from './form.tsx';
import { previewCall, type ShownPreview } from './preview.ts';

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
            <h3>Apple</h3>
            <JsonView value={shown.apns.headers} label="Headers for Apple" />
            <JsonView value={parseExact(shown.apns.body)} label="Body for Apple" />
            {shown.fcm !== null && (
              <>
                <h3>Google</h3>
                <JsonView value={parseExact(shown.fcm.body)} label="Body for Google" />
              </>
            )}
            {shown.web_push !== null && (
              <>
                <h3>Web Push</h3>
                <JsonView value={shown.web_push.headers} label="Headers for browsers" />
                <JsonView value={parseExact(shown.web_push.body)} label="Text for browsers" />
              </>
            )}
          </ForDevelopers>
        </>
      )}
      <Folded summary="As one device gets it" open={id !== ''}>
        <TextField
          label="Id of the device"
          code
          value={id}
          error={fault}
          onInput={(written) => setId(written.trim())}
        />
        {device !== undefined && fault === undefined && <DeviceWords device={device} />}
      </Folded>
    </>
  );
}

const QUIET_MS = 300;

/**
 * The version of the draft that one device would get: its language, its variant, and its values in the texts.
 * @param id as written; '' for none
 * @param variant the name of the variant to show; undefined: the one that the device gets, if that is known
 * @returns `device` is undefined without an id, and while the draft cannot be compiled
 */
function useDevicePreview(id: string, variant: string | undefined) {
  const { text } = draft.value;
  const { notification } = readNotification(text);
  const members = JSON.stringify({ device_id: id, variant }).slice(1, -1);
  // The server also refuses a draft that is not JSON.
  const body = notification === undefined ? text : String(previewCall(text, notification).body);
  const late = useDebounced(id === '' ? '' : body.replace('{', () => `{${members},`), QUIET_MS);
  const request: ApiCall = { method: 'POST', path: '/v6/notifications/preview', body: late };
  const { state } = useResource(
    async (signal) => (late === '' ? undefined : call<NotificationPreview>(request, signal)),
    [late],
  );
  const { data, error } = state.value;
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
    <div class="compose-budget">
      {apple !== undefined && <Meter gateway="Apple" {...apple} />}
      {google !== undefined && <Meter gateway="Google" {...google} />}
      {apple !== undefined && compiled.versions.length > 0 && (
        <p class="hint">
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
    <div class={left < 0 ? 'compose-meter over' : 'compose-meter'}>
      <span>{gateway}</span>
      <span
        role="meter"
        aria-label={`Bytes for ${gateway}`}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(bytes, max)}
        aria-valuetext={words}
        style={{ '--used': `${(bytes / max) * 100}%` }}
      />
      <span title={`${formatNumber(bytes)} of ${formatNumber(max)} bytes`}>{words}</span>
    </div>
  );
}

/** The version of the draft that one device would get: its language, its variant, and its values in the texts. */
import { ApiFailure, type ApiCall, call } from '../../frame/api.ts';
import { TextField } from '../../kit/form.tsx';
import { languageName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';
import { bodyFrom, readNotification } from './draft/json.ts';
import { compilableText } from './preview.ts';
import type { CompiledForDevice, NotificationPreview } from '../../replies.ts';

const QUIET_MS = 300;

export interface ForDevice {
  /** The id as written; '' for none. */
  id: string;
  setId: (id: string) => void;
  /** Undefined without an id, and while the draft cannot be compiled. */
  device: CompiledForDevice | undefined;
  /** Why there is no preview. */
  fault: string | undefined;
}

/** @param variant the name of the variant to show; undefined: the one that the device gets, if that is known */
export function useDevicePreview(
  text: string,
  { id, setId, variant }: Pick<ForDevice, 'id' | 'setId'> & { variant: string | undefined },
): ForDevice {
  const written = id === '' ? '' : JSON.stringify({ text, device_id: id, variant });
  const late = useDebounced(written, QUIET_MS);
  const { state } = useResource(
    async (signal) => (late === '' ? undefined : call<NotificationPreview>(previewCall(late), signal)),
    [late],
  );
  const { data, error } = state.value;
  if (id === '') return { id, setId, device: undefined, fault: undefined };
  return { id, setId, device: data?.compiled?.device ?? undefined, fault: faultOf(error) };
}

function previewCall(written: string): ApiCall {
  const { text, ...asked }: { text: string } = JSON.parse(written);
  const { notification } = readNotification(text);
  // The server also refuses a draft that is not JSON.
  const body = notification === undefined ? text : bodyFrom(compilableText(text, notification));
  const members = JSON.stringify(asked).slice(1, -1);
  return { method: 'POST', path: '/v6/notifications/preview', body: body.replace('{', () => `{${members},`) };
}

function faultOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (!(error instanceof ApiFailure)) return 'The server could not be asked.';
  return error.details.find(({ path }) => path === 'device_id')?.message ?? error.message;
}

export function DeviceField({ id, setId, device, fault }: ForDevice): Content {
  return (
    <details open={id !== ''}>
      <summary>As one device gets it</summary>
      <div class="compose-fields compose-more">
        <TextField
          label="Id of the device"
          code
          value={id}
          error={fault}
          onInput={(written) => setId(written.trim())}
        />
        {device !== undefined && fault === undefined && <DeviceWords device={device} />}
      </div>
    </details>
  );
}

function DeviceWords({ device }: { device: CompiledForDevice }): Content {
  const { dropped, locale, variant, variant_by: by } = device;
  return (
    <p role="status">
      {dropped === null ? (
        <>
          It gets <bdi>{locale === null ? 'the default language' : languageName(locale)}</bdi>.
          {variant !== null && by !== null && (
            <>
              {' '}
              <bdi>{variantWords(variant, by)}</bdi>
            </>
          )}
        </>
      ) : (
        <strong class="compose-closed">{DROPPED[dropped]}</strong>
      )}
    </p>
  );
}

const DROPPED = {
  missing_attribute: 'This device would get nothing: a template needs an attribute that it does not have.',
  held_out: 'This device would get nothing: it is in the hold-out.',
};

function variantWords(variant: string, by: 'experiment' | 'request' | 'none'): string {
  switch (by) {
    case 'experiment':
      return `Its variant is ${variant}, because the name of the experiment decides.`;
    case 'request':
      return `Variant ${variant} is shown, as chosen in the form.`;
    case 'none':
      return `Variant ${variant} is shown; the device’s own variant is decided only when the notification is created.`;
  }
}

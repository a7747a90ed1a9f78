/** The section that is being written, as phones show it, and the number of bytes left. */
import { useState } from 'preact/hooks';
import { parseExact } from '../../frame/api.ts';
import { app } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { JsonView } from '../../kit/developer/json-view.tsx';
import type { Requests } from '../../tray/preview-reply.ts';
import { EmptyTray, Trays } from '../../tray/tray.tsx';
import { versionFor, versionWords } from '../../tray/versions.tsx';
import { Budget } from './budget.tsx';
import { DeviceField, useDevicePreview } from './device-preview.tsx';
import { draft } from './draft/draft.ts';
import type { JsonObject } from './draft/members.ts';
import { type Section, DEFAULT } from './draft/content-sections.ts';
import { variantName } from './draft/variants.ts';
import { chosenSection } from './what/chosen-section.ts';
import type { ShownPreview } from './preview.ts';
import type { CompiledNotification } from '../../replies.ts';

export function PreviewColumn(props: {
  /** Undefined while the draft is not JSON. */
  notification: JsonObject | undefined;
  preview: ShownPreview;
}): Content {
  const { notification, preview } = props;
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

function Shown(props: {
  notification: JsonObject | undefined;
  compiled: CompiledNotification;
  isOutdated: boolean;
}): Content {
  const { notification, compiled, isOutdated } = props;
  const section: Section = notification === undefined ? DEFAULT : chosenSection(notification);
  const variant =
    notification === undefined || section.variant === undefined
      ? undefined
      : variantName(notification, section.variant);
  const [id, setId] = useState('');
  const forDevice = useDevicePreview(draft.value.text, { id, setId, variant });
  const version = versionFor(compiled, { variant, locale: section.language });
  const shown: Requests = forDevice.device ?? version;
  return (
    <>
      {compiled.versions.length > 0 && forDevice.device === undefined && (
        <p class="compose-version muted" aria-live="polite">
          <bdi>{versionWords(version)}</bdi> is shown, one of {compiled.versions.length + 1}.
        </p>
      )}
      {(forDevice.device === undefined || forDevice.device.dropped === null) && (
        <>
          <Trays
            compiled={{ ...shown, notification_id: compiled.notification_id }}
            appName={app.value?.name ?? ''}
            isOutdated={isOutdated}
          />
          <Budget compiled={compiled} />
          <details>
            <summary>What the gateways get</summary>
            <div class="stack compose-more">
              <h3>Apple</h3>
              <JsonView value={shown.apns.headers} label="Headers for Apple" />
              <JsonView value={indented(shown.apns.body)} label="Body for Apple" />
              {shown.fcm !== null && (
                <>
                  <h3>Google</h3>
                  <JsonView value={indented(shown.fcm.body)} label="Body for Google" />
                </>
              )}
            </div>
          </details>
        </>
      )}
      <DeviceField {...forDevice} />
    </>
  );
}

/** The same JSON with line breaks; the gateways get it without line breaks. */
function indented(text: string): string {
  return JSON.stringify(parseExact(text), null, 2);
}

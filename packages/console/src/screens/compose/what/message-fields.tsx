/** The known keys of a payload as fields. The app's own keys are kept and shown by name. */
import type { Content } from '../../../kit/content.ts';
import { KEY_LABELS } from '../draft/faults.ts';
import type { JsonObject } from '../draft/members.ts';
import { type Section, valuesOf } from '../draft/content-sections.ts';
import { SectionChoice, SectionFlag, SectionText } from './section-fields.tsx';
import type { Refusal } from '../../../tray/preview-reply.ts';

const KNOWN_KEYS = new Set<string>(Object.keys(KEY_LABELS));

/** Keys in the folded section; it is open while one of them has a value. */
const MORE_KEYS = [...KNOWN_KEYS].filter((key) => !['title', 'alert', 'subtitle', 'image'].includes(key));

const LEVELS = [
  { value: '', label: 'As usual (active)' },
  { value: 'passive', label: 'Passive: quietly into the list' },
  { value: 'active', label: 'Active' },
  { value: 'time-sensitive', label: 'Time-sensitive: breaks through a Focus' },
  { value: 'critical', label: 'Critical: sounds even if muted' },
];

export function MessageFields(props: {
  notification: JsonObject;
  section: Section;
  refusal: Refusal | undefined;
}): Content {
  const { notification, section } = props;
  const values = valuesOf(notification, section);
  const own = Object.keys(values).filter((key) => !KNOWN_KEYS.has(key));
  const of = (name: keyof typeof KEY_LABELS, hint?: string) => ({ ...props, name, label: KEY_LABELS[name], hint });
  return (
    <>
      <SectionText {...of('title')} />
      <SectionText {...of('subtitle', 'iOS only.')} />
      <SectionText {...of('alert')} lines={3} />
      <SectionText {...of('image', 'An https address. The console does not load it.')} kind="url" />
      <details open={MORE_KEYS.some((key) => values[key] !== undefined)}>
        <summary>Sound, badge, replacement and more</summary>
        <div class="compose-fields compose-more">
          <div class="compose-pair">
            <SectionText {...of('sound', 'A file of the app, iOS only.')} kind="code" />
            <SectionText {...of('badge', '0 removes it, iOS only.')} kind="number" />
            <SectionText {...of('category', 'Buttons that the app has registered.')} kind="code" />
            <SectionText {...of('_channel_id', 'Android only.')} kind="code" />
            <SectionText {...of('collapse_key', 'A later push with the same key replaces this one.')} kind="code" />
            <SectionText {...of('relevance_score', '0 to 1, for summaries of iOS.')} kind="number" />
          </div>
          <SectionChoice {...of('interruption_level', 'iOS only.')} options={LEVELS} />
          <SectionFlag
            {...of('mutable_content', 'Needed for a picture on iOS.')}
            label="The app may change it before it is shown"
          />
          <SectionFlag {...of('content_available', 'iOS only.')} label="Wake the app in the background" />
        </div>
      </details>
      {own.length > 0 && (
        <p class="hint compose-own">
          Also sent to the app:{' '}
          {own.map((key) => (
            <>
              <code key={key}>
                <bdi>{key}</bdi>
              </code>{' '}
            </>
          ))}
          – change these as JSON.
        </p>
      )}
    </>
  );
}

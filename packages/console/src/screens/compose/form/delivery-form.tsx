/** When and how a notification is sent. */
import { Select, TextField } from '../../../kit/form.tsx';
import { formatAgo, formatDuration, zoneName } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { change, draft, setUnlimited } from '../draft/draft.ts';
import { fieldText, type JsonObject, numberFrom, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import { ReceiptsFields } from '../variants/receipts-fields.tsx';
import { MomentForm, PaceFields } from './moment-form.tsx';
import { fromLocal, isPast, toLocal, utcText } from '../draft/times.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

const PRIORITIES = [
  { value: '', label: 'As usual: high if it shows a text' },
  { value: 'high', label: 'High: at once' },
  { value: 'normal', label: 'Normal: may wait until the phone wakes up' },
];

const PRESENTATIONS = [
  { value: '', label: 'The app’s setting' },
  { value: 'data', label: 'The app draws it' },
  { value: 'system', label: 'Android draws it' },
];

export function DeliveryForm(props: {
  notification: JsonObject;
  refusal: Refusal | undefined;
  /** Whether it may be for many devices. */
  isForMany: boolean;
}): Content {
  const { notification, refusal, isForMany } = props;
  const set = (name: string, value: unknown): void => change(withMember(notification, name, value));
  const of = (name: string) => ({
    value: fieldText(notification[name]),
    error: faultAt(refusal, name),
  });
  return (
    <fieldset class="card compose-fields">
      <legend>
        <h2>Delivery</h2>
      </legend>
      <MomentForm notification={notification} refusal={refusal}>
        <WhenField
          at={notification['deliver_at']}
          error={faultAt(refusal, 'deliver_at')}
          set={(at: string | undefined) => set('deliver_at', at)}
        />
      </MomentForm>
      {isForMany && (
        <TextField
          {...of('max_recipients')}
          label="Limit of recipients"
          type="number"
          hint={
            draft.value.isUnlimited
              ? 'No limit.'
              : 'If there are more devices, nothing is sent. Left empty, the last page fills in the count and a tenth.'
          }
          onInput={(text) => {
            set('max_recipients', numberFrom(text));
            setUnlimited(false);
          }}
        />
      )}
      <details open={['spread_over', 'quiet_hours'].some((name) => notification[name] !== undefined)}>
        <summary>Spread, quiet hours</summary>
        <div class="compose-fields compose-more">
          <PaceFields notification={notification} refusal={refusal} />
        </div>
      </details>
      <details open={notification['receipts'] !== undefined}>
        <summary>Receipts</summary>
        <div class="compose-fields compose-more">
          <ReceiptsFields notification={notification} refusal={refusal} />
        </div>
      </details>
      <details
        open={['time_to_live', 'priority', 'android_presentation'].some((name) => notification[name] !== undefined)}>
        <summary>Priority, time to live, Android</summary>
        <div class="compose-fields compose-more">
          <Select
            {...of('priority')}
            label="Priority"
            options={PRIORITIES}
            onChange={(priority) => set('priority', priority || undefined)}
          />
          <TextField
            {...of('time_to_live')}
            label="Time to live, in seconds"
            type="number"
            hint={`A phone that is off gets it within this time. ${liveWords(notification['time_to_live'])}`}
            onInput={(text) => set('time_to_live', numberFrom(text))}
          />
          <Select
            {...of('android_presentation')}
            label="On Android"
            options={PRESENTATIONS}
            onChange={(presentation) => set('android_presentation', presentation || undefined)}
          />
        </div>
      </details>
    </fieldset>
  );
}

function liveWords(seconds: unknown): string {
  if (typeof seconds !== 'number') return 'Four weeks if left empty.';
  return seconds === 0 ? '0: now or never.' : `That is ${formatDuration(seconds)}.`;
}

/** The moment in the reader's zone, and in UTC next to it. */
function WhenField(props: { at: unknown; error: string | undefined; set: (at: string | undefined) => void }): Content {
  const { at, error, set } = props;
  const written = fieldText(at);
  const local = toLocal(written);
  const hint =
    local === undefined
      ? written === ''
        ? `Left empty: at once. Times are in your zone, ${zoneWords()}.`
        : `The JSON has “${written}”.`
      : `= ${utcText(written)} · ${isPast(written) ? 'in the past, so at once' : formatAgo(written)}`;
  return (
    <TextField
      label={`Send at (${local === undefined ? zoneName() : zoneName(written)})`}
      type="datetime-local"
      value={local ?? ''}
      hint={hint}
      error={error}
      onInput={(text) => set(text === '' ? undefined : fromLocal(text))}
    />
  );
}

function zoneWords(): string {
  return `${Intl.DateTimeFormat().resolvedOptions().timeZone} (${zoneName()})`;
}

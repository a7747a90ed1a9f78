/** At once, at a moment, or at the local time of each device. Times that are often wanted are one button away. */
import { useId } from 'preact/hooks';
import { isObject } from '../../../filter-builder/language.ts';
import { Select, TextField } from '../../../kit/form.tsx';
import { formatAgo, zoneName } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { fieldText, type JsonObject, withMember } from '../draft/members.ts';
import { fromLocal, isPast, quickMoments, toLocal, utcText } from '../draft/times.ts';
import { faultAt } from '../preview.ts';
import { type PartOfWhen, readersZone, withPresent, zoneOptions } from './options.ts';

const PAST = [
  { value: 'now', label: 'Send at once' },
  { value: 'skip', label: 'Leave the device out' },
  { value: 'next_day', label: 'Send the next day' },
] as const;

const CLOCKS = [
  { clock: 'now', label: 'At once' },
  { clock: 'one', label: 'Later' },
  { clock: 'local', label: 'At the local time of each device' },
] as const;

type Clock = (typeof CLOCKS)[number]['clock'];

export function MomentFields({ notification, refusal }: PartOfWhen): Content {
  const { deliver_at: at, deliver_at_local: local } = notification;
  const name = useId();
  const clock: Clock = local !== undefined ? 'local' : at !== undefined ? 'one' : 'now';
  const choose = (chosen: Clock): void => {
    const without = withMember(withMember(notification, 'deliver_at', undefined), 'deliver_at_local', undefined);
    const time = tomorrowAtNine();
    if (chosen === 'now') change(without);
    if (chosen === 'one') change({ ...without, deliver_at: fromLocal(time) });
    if (chosen === 'local') change({ ...without, deliver_at_local: { time, no_time_zone: readersZone() } });
  };
  return (
    <>
      <div class="in-line" role="radiogroup" aria-label="When">
        {CLOCKS.map((option) => (
          <label class="check" key={option.clock}>
            <input type="radio" name={name} checked={clock === option.clock} onChange={() => choose(option.clock)} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {clock === 'one' && <OneMoment notification={notification} refusal={refusal} />}
      {clock === 'local' && <LocalFields notification={notification} refusal={refusal} />}
    </>
  );
}

/** The moment in the reader's zone, and in UTC next to it. */
function OneMoment({ notification, refusal }: PartOfWhen): Content {
  const written = fieldText(notification['deliver_at']);
  const local = toLocal(written);
  const set = (text: string): void => change(withMember(notification, 'deliver_at', fromLocal(text)));
  return (
    <>
      <Quick onChoose={set} />
      <TextField
        label={`Send at (${local === undefined ? zoneName() : zoneName(written)})`}
        type="datetime-local"
        value={local ?? ''}
        hint={
          local === undefined
            ? `The JSON has “${written}”.`
            : `= ${utcText(written)} · ${isPast(written) ? 'in the past, so at once' : formatAgo(written)}`
        }
        error={faultAt(refusal, 'deliver_at')}
        // A field that is being cleared keeps its last moment.
        onInput={(text) => text !== '' && set(text)}
      />
    </>
  );
}

function LocalFields({ notification, refusal }: PartOfWhen): Content {
  const { deliver_at_local: value } = notification;
  const local: JsonObject = isObject(value) ? value : {};
  const set = (name: string, next: unknown): void =>
    change(withMember(notification, 'deliver_at_local', withMember(local, name, next)));
  const fault = (name: string) => faultAt(refusal, `deliver_at_local.${name}`);
  const zone = fieldText(local['no_time_zone']);
  return (
    <>
      <Quick onChoose={(time) => set('time', time)} />
      <TextField
        label="Local time"
        type="datetime-local"
        value={fieldText(local['time']).slice(0, 16)}
        hint="What the clock of each device shows when it is sent to."
        error={fault('time') ?? faultAt(refusal, 'deliver_at_local')}
        onInput={(time) => set('time', time)}
      />
      <Select
        label="For devices without a time zone"
        value={zone}
        options={withPresent(zoneOptions({ value: 'skip', label: 'Leave them out' }), zone)}
        error={fault('no_time_zone')}
        onChange={(chosen) => set('no_time_zone', chosen)}
      />
      <Select
        label="If that time is past on a device"
        value={PAST.find((option) => option.value === local['if_past'])?.value ?? 'now'}
        options={PAST}
        onChange={(rule) => set('if_past', rule === 'now' ? undefined : rule)}
      />
    </>
  );
}

function Quick({ onChoose }: { onChoose: (local: string) => void }): Content {
  return (
    <div class="buttons" role="group" aria-label="Times that are often wanted">
      {quickMoments().map(({ label, local }) => (
        <button key={label} type="button" class="compose-quick" onClick={() => onChoose(local)}>
          {label}
        </button>
      ))}
    </div>
  );
}

function tomorrowAtNine(): string {
  return quickMoments().find(({ label }) => label.startsWith('Tomorrow'))?.local ?? '';
}

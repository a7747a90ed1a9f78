/** When a notification is sent, how fast, to how many at most, and how long it is kept for phones that are off. */
import { useId } from 'preact/hooks';
import { isObject } from '../../filter-builder/language.ts';
import { Select, TextField } from '../../kit/form.tsx';
import { formatAgo, formatDuration, zoneName } from '../../kit/format.ts';
import { change, draft, setUnlimited } from './draft/draft.ts';
import { fieldText, valueAt, withMember } from './draft/members.ts';
import { isForMany } from './draft/target.ts';
import { fromLocal, isPast, quickMoments, toLocal, utcText } from './draft/times.ts';
import { Folded, MemberChoice, MemberText, type Option, useWritten } from './form.tsx';

const SPREADS = [
  { value: '', label: 'No: as fast as possible' },
  { value: 'PT5M', label: 'Within 5 minutes' },
  { value: 'PT15M', label: 'Within 15 minutes' },
  { value: 'PT30M', label: 'Within 30 minutes' },
  { value: 'PT1H', label: 'Within an hour' },
  { value: 'PT4H', label: 'Within 4 hours' },
];

const QUIET = [
  { value: 'app', label: 'The app’s setting' },
  { value: 'ignore', label: 'Only the quiet hours of devices' },
  { value: 'ignore_all', label: 'None, not even those of devices' },
  { value: 'own', label: 'The notification’s own hours' },
] as const;

const RULES = [
  { value: 'hold', label: 'Hold until they end' },
  { value: 'drop', label: 'Do not send' },
];

const PRIORITIES = [
  { value: '', label: 'As usual: high if it shows a text' },
  { value: 'high', label: 'High: at once' },
  { value: 'normal', label: 'Normal: may wait until the phone wakes up' },
];

const LIVES = [
  { value: '', label: 'Four weeks' },
  ...[604_800, 86_400, 14_400, 3_600, 600].map((one) => ({ value: String(one), label: formatDuration(one) })),
  { value: '0', label: 'Now or never' },
];

const PAST = [
  { value: 'now', label: 'Send at once' },
  { value: 'skip', label: 'Leave the device out' },
  { value: 'next_day', label: 'Send the next day' },
];

const CLOCKS = [
  { value: 'now', label: 'At once' },
  { value: 'one', label: 'Later' },
  { value: 'local', label: 'At the local time of each device' },
] as const;

/** The zone of the reader, in which times of the form are. */
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What can apply to a device without a time zone: a rule, or a zone, the reader's own first. */
function zoneOptions(rule: Option): Option[] {
  const zones = [...new Set([HERE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return [rule, ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))];
}

export function WhenForm() {
  const { notification } = useWritten();
  const isWritten = (...names: string[]): boolean => names.some((name) => notification[name] !== undefined);
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Delivery</legend>
      <MomentFields />
      {isForMany(notification['to']) && (
        <MemberText
          at="max_recipients"
          label="Limit of recipients"
          type="number"
          hint={
            draft.value.isUnlimited
              ? 'No limit.'
              : 'If there are more devices, nothing is sent. Left empty, the last page fills in the count and a tenth.'
          }
          onWritten={() => setUnlimited(false)}
        />
      )}
      <Folded summary="Spread, quiet hours" open={isWritten('spread_over', 'quiet_hours')}>
        <MemberChoice at="spread_over" label="Spread it" options={SPREADS} />
        <QuietHoursFields />
      </Folded>
      <Folded summary="Expiry, priority" open={isWritten('time_to_live', 'priority')}>
        <MemberChoice
          at="time_to_live"
          label="Time to live"
          hint="How long it is kept for a phone that is off."
          options={LIVES}
          isNumber
          labelOf={(seconds) => (Number(seconds) > 0 ? formatDuration(Number(seconds)) : seconds)}
        />
        <MemberChoice at="priority" label="Priority" options={PRIORITIES} />
      </Folded>
    </fieldset>
  );
}

function MomentFields() {
  const { notification } = useWritten();
  const name = useId();
  const { deliver_at: at, deliver_at_local: local } = notification;
  const clock = local !== undefined ? 'local' : at !== undefined ? 'one' : 'now';
  const choose = (chosen: (typeof CLOCKS)[number]['value']): void => {
    const without = withMember(withMember(notification, 'deliver_at', undefined), 'deliver_at_local', undefined);
    const time = quickMoments().find(({ label }) => label.startsWith('Tomorrow'))?.local ?? '';
    if (chosen === 'now') change(without);
    if (chosen === 'one') change({ ...without, deliver_at: fromLocal(time) });
    if (chosen === 'local') change({ ...without, deliver_at_local: { time, no_time_zone: HERE } });
  };
  return (
    <>
      <div class="in-line" role="radiogroup" aria-label="When">
        {CLOCKS.map(({ value, label }) => (
          <label class="check" key={value}>
            <input type="radio" name={name} checked={clock === value} onChange={() => choose(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {clock === 'one' && <OneMoment />}
      {clock === 'local' && <LocalFields />}
    </>
  );
}

/** The moment in the reader's zone, and in UTC next to it. */
function OneMoment() {
  const { notification, faultAt, set } = useWritten();
  const written = fieldText(notification['deliver_at']);
  const local = toLocal(written);
  return (
    <TimeField
      label={`Send at (${local === undefined ? zoneName() : zoneName(written)})`}
      value={local ?? ''}
      hint={
        local === undefined
          ? `The JSON has “${written}”.`
          : `= ${utcText(written)} · ${isPast(written) ? 'in the past, so at once' : formatAgo(written)}`
      }
      error={faultAt('deliver_at')}
      // A field that is being cleared keeps its last moment.
      onInput={(text) => text !== '' && set('deliver_at', fromLocal(text))}
    />
  );
}

function LocalFields() {
  const { notification, faultAt, set } = useWritten();
  return (
    <>
      <TimeField
        label="Local time"
        value={fieldText(valueAt(notification, 'deliver_at_local.time')).slice(0, 16)}
        hint="What the clock of each device shows when it is sent to."
        error={faultAt('deliver_at_local.time') ?? faultAt('deliver_at_local')}
        onInput={(time) => set('deliver_at_local.time', time)}
      />
      <MemberChoice
        at="deliver_at_local.no_time_zone"
        label="For devices without a time zone"
        options={zoneOptions({ value: 'skip', label: 'Leave them out' })}
      />
      <MemberChoice at="deliver_at_local.if_past" label="If that time is past on a device" options={PAST} usual="now" />
    </>
  );
}

/** A moment on a clock. Those that are often wanted are one button away. */
function TimeField(props: Parameters<typeof TextField>[0]) {
  return (
    <>
      <div class="buttons" role="group" aria-label="Times that are often wanted">
        {quickMoments().map(({ label, local }) => (
          <button key={label} type="button" onClick={() => props.onInput(local)}>
            {label}
          </button>
        ))}
      </div>
      <TextField {...props} type="datetime-local" />
    </>
  );
}

function QuietHoursFields() {
  const { notification, faultAt, set } = useWritten();
  const { quiet_hours: quiet } = notification;
  const proposed = { from: '22:00', to: '08:00', no_time_zone: HERE };
  return (
    <>
      <Select
        label="Quiet hours"
        value={quiet === undefined ? 'app' : quiet === 'ignore' || quiet === 'ignore_all' ? quiet : 'own'}
        options={QUIET}
        error={isObject(quiet) ? undefined : faultAt('quiet_hours')}
        onChange={(kind) => set('quiet_hours', kind === 'app' ? undefined : kind === 'own' ? proposed : kind)}
      />
      {isObject(quiet) && (
        <>
          <div class="compose-pair">
            <MemberText at="quiet_hours.from" label="Quiet from" />
            <MemberText at="quiet_hours.to" label="Quiet to" hint="On the clock of each device." />
          </div>
          <MemberChoice
            at="quiet_hours.no_time_zone"
            label="Clock of devices without a time zone"
            options={zoneOptions({ value: 'ignore', label: 'Send to them at any hour' })}
          />
          <MemberChoice at="quiet_hours.action" label="In quiet hours" options={RULES} usual="hold" />
        </>
      )}
    </>
  );
}

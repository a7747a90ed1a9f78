/**
 * When a notification is sent: at one moment or at the local time of each device, spread, and the hours in which it is
 * not sent.
 */
import { isObject } from '../../../filter-builder/language.ts';
import { Select, TextField } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { fieldText, type JsonObject, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

const CLOCKS = [
  { value: 'one', label: 'At one moment' },
  { value: 'local', label: 'At the local time of each device' },
] as const;

const PAST = [
  { value: 'now', label: 'Send at once' },
  { value: 'skip', label: 'Leave the device out' },
  { value: 'next_day', label: 'Send the next day' },
] as const;

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
] as const;

interface MomentProps {
  notification: JsonObject;
  refusal: Refusal | undefined;
}

/** @param children the field for one moment, which is shown unless each device has a moment of its own */
export function MomentForm({ notification, refusal, children }: MomentProps & { children: Content }): Content {
  const local = notification['deliver_at_local'];
  const isLocal = local !== undefined;
  const choose = (clock: string): void => {
    const without = withMember(withMember(notification, 'deliver_at', undefined), 'deliver_at_local', undefined);
    change(clock === 'local' ? { ...without, deliver_at_local: proposedLocal() } : without);
  };
  return (
    <>
      <Select label="When" value={isLocal ? 'local' : 'one'} options={CLOCKS} onChange={choose} />
      {isLocal ? <LocalFields notification={notification} refusal={refusal} /> : children}
    </>
  );
}

function LocalFields({ notification, refusal }: MomentProps): Content {
  const { deliver_at_local: value } = notification;
  const local: JsonObject = isObject(value) ? value : {};
  const set = (name: string, next: unknown): void =>
    change(withMember(notification, 'deliver_at_local', withMember(local, name, next)));
  const fault = (name: string) => faultAt(refusal, `deliver_at_local.${name}`);
  return (
    <>
      <TextField
        label="Local time"
        type="datetime-local"
        value={fieldText(local['time']).slice(0, 16)}
        hint="What the clock of each device shows when it is sent to."
        error={fault('time') ?? faultAt(refusal, 'deliver_at_local')}
        onInput={(time) => set('time', time)}
      />
      <TextField
        label="For devices without a time zone"
        value={fieldText(local['no_time_zone'])}
        hint="The name of a time zone, or skip to leave them out."
        error={fault('no_time_zone')}
        onInput={(zone) => set('no_time_zone', zone)}
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

/** Spreading and quiet hours. */
export function PaceFields({ notification, refusal }: MomentProps): Content {
  const set = (name: string, value: unknown): void => change(withMember(notification, name, value));
  const spread = fieldText(notification['spread_over']);
  const spreads = SPREADS.some(({ value }) => value === spread)
    ? SPREADS
    : [...SPREADS, { value: spread, label: spread }];
  const quiet = notification['quiet_hours'];
  const kind = quiet === undefined ? 'app' : quiet === 'ignore' || quiet === 'ignore_all' ? quiet : 'own';
  return (
    <>
      <Select
        label="Spread it"
        value={spread}
        options={spreads}
        error={faultAt(refusal, 'spread_over')}
        onChange={(time) => set('spread_over', time || undefined)}
      />
      <Select
        label="Quiet hours"
        value={kind}
        options={QUIET}
        error={isObject(quiet) ? undefined : faultAt(refusal, 'quiet_hours')}
        onChange={(chosen) =>
          set('quiet_hours', chosen === 'app' ? undefined : chosen === 'own' ? proposedHours() : chosen)
        }
      />
      {isObject(quiet) && (
        <QuietFields hours={quiet} set={(hours: JsonObject) => set('quiet_hours', hours)} refusal={refusal} />
      )}
    </>
  );
}

function QuietFields(props: {
  hours: JsonObject;
  set: (hours: JsonObject) => void;
  refusal: Refusal | undefined;
}): Content {
  const { hours, set, refusal } = props;
  const field = (name: string, label: string, hint?: string) => (
    <TextField
      label={label}
      value={fieldText(hours[name])}
      hint={hint}
      error={faultAt(refusal, `quiet_hours.${name}`)}
      onInput={(text) => set(withMember(hours, name, text))}
    />
  );
  return (
    <>
      {field('from', 'Quiet from')} {field('to', 'Quiet to', 'On the clock of each device.')}
      {field(
        'no_time_zone',
        'Clock of devices without a time zone',
        'The name of a time zone, or ignore to send to them at any hour.',
      )}
      <Select
        label="In quiet hours"
        value={hours['action'] === 'drop' ? 'drop' : 'hold'}
        options={RULES}
        onChange={(action) => set(withMember(hours, 'action', action))}
      />
    </>
  );
}

/** Nine o'clock tomorrow. */
function proposedLocal(): JsonObject {
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  return { time: `${day}T09:00`, no_time_zone: readersZone() };
}

function proposedHours(): JsonObject {
  return { from: '22:00', to: '08:00', no_time_zone: readersZone() };
}

function readersZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

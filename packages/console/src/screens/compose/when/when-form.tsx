/** When a notification is sent, how fast, to how many at most, and how long it is kept for phones that are off. */
import { isObject } from '../../../filter-builder/language.ts';
import { Select, TextField } from '../../../kit/form.tsx';
import { formatDuration } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { change, draft, setUnlimited } from '../draft/draft.ts';
import { fieldText, numberFrom, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import { MomentFields } from './moment-fields.tsx';
import { type PartOfWhen, readersZone, withPresent, zoneOptions } from './options.ts';

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

const PRIORITIES = [
  { value: '', label: 'As usual: high if it shows a text' },
  { value: 'high', label: 'High: at once' },
  { value: 'normal', label: 'Normal: may wait until the phone wakes up' },
];

/** In seconds. */
const LIVES = [
  { value: '', label: 'Four weeks' },
  { value: '604800', label: 'A week' },
  { value: '86400', label: 'A day' },
  { value: '14400', label: '4 hours' },
  { value: '3600', label: 'An hour' },
  { value: '600', label: '10 minutes' },
  { value: '0', label: 'Now or never' },
];

/** @param props.isForMany whether it may be for many devices */
export function WhenForm(props: PartOfWhen & { isForMany: boolean }): Content {
  const { notification, refusal, isForMany } = props;
  const set = (name: string, value: unknown): void => change(withMember(notification, name, value));
  const of = (name: string) => ({ value: fieldText(notification[name]), error: faultAt(refusal, name) });
  const isWritten = (...names: string[]): boolean => names.some((name) => notification[name] !== undefined);
  const life = notification['time_to_live'];
  return (
    <fieldset class="compose-fields">
      <legend class="visually-hidden">Delivery</legend>
      <MomentFields notification={notification} refusal={refusal} />
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
      <details open={isWritten('spread_over', 'quiet_hours')}>
        <summary>Spread, quiet hours</summary>
        <div class="compose-fields compose-more">
          <Select
            {...of('spread_over')}
            label="Spread it"
            options={withPresent(SPREADS, fieldText(notification['spread_over']))}
            onChange={(time) => set('spread_over', time || undefined)}
          />
          <QuietHoursFields notification={notification} refusal={refusal} />
        </div>
      </details>
      <details open={isWritten('time_to_live', 'priority')}>
        <summary>Expiry, priority</summary>
        <div class="compose-fields compose-more">
          <Select
            {...of('time_to_live')}
            label="Time to live"
            hint="How long it is kept for a phone that is off."
            options={withPresent(
              LIVES,
              fieldText(life),
              typeof life === 'number' && life > 0 ? formatDuration(life) : undefined,
            )}
            onChange={(seconds) => set('time_to_live', numberFrom(seconds))}
          />
          <Select
            {...of('priority')}
            label="Priority"
            options={withPresent(PRIORITIES, fieldText(notification['priority']))}
            onChange={(priority) => set('priority', priority || undefined)}
          />
        </div>
      </details>
    </fieldset>
  );
}

/** The hours in which nothing is sent to a device. */
function QuietHoursFields({ notification, refusal }: PartOfWhen): Content {
  const { quiet_hours: quiet } = notification;
  const kind = quiet === undefined ? 'app' : quiet === 'ignore' || quiet === 'ignore_all' ? quiet : 'own';
  const set = (hours: unknown): void => change(withMember(notification, 'quiet_hours', hours));
  const hours = isObject(quiet) ? quiet : {};
  const of = (name: string) => ({
    value: fieldText(hours[name]),
    error: faultAt(refusal, `quiet_hours.${name}`),
  });
  const setHour = (name: string) => (value: string) => set(withMember(hours, name, value));
  const proposed = { from: '22:00', to: '08:00', no_time_zone: readersZone() };
  return (
    <>
      <Select
        label="Quiet hours"
        value={kind}
        options={QUIET}
        error={isObject(quiet) ? undefined : faultAt(refusal, 'quiet_hours')}
        onChange={(chosen) => set(chosen === 'app' ? undefined : chosen === 'own' ? proposed : chosen)}
      />
      {isObject(quiet) && (
        <>
          <div class="compose-pair">
            <TextField {...of('from')} label="Quiet from" onInput={setHour('from')} />
            <TextField
              {...of('to')}
              label="Quiet to"

              hint="On the clock of each device."
              onInput={setHour('to')}
            />
          </div>
          <Select
            {...of('no_time_zone')}
            label="Clock of devices without a time zone"
            options={withPresent(
              zoneOptions({ value: 'ignore', label: 'Send to them at any hour' }),
              fieldText(hours['no_time_zone']),
            )}
            onChange={setHour('no_time_zone')}
          />
          <Select
            label="In quiet hours"
            value={hours['action'] === 'drop' ? 'drop' : 'hold'}
            options={RULES}
            onChange={setHour('action')}
          />
        </>
      )}
    </>
  );
}

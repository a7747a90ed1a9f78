/** The hours in which nothing is sent to a device. */
import { isObject } from '../../../filter-builder/language.ts';
import { Select, TextField } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { fieldText, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import { type PartOfWhen, readersZone, withPresent, zoneOptions } from './options.ts';

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

export function QuietHoursFields({ notification, refusal }: PartOfWhen): Content {
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

import { plural } from '../../../kit/format.ts';
import type { DueEntry } from '../../../replies.ts';
import { clockOf, dayAfter, dayName, dueText, startOf } from './days.ts';

const SHOWN = 3;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });

/** One stop of Tab, at the chosen day; the arrow keys go from day to day, also into the next month. */
export function Month(props: {
  weeks: readonly (readonly string[])[];
  month: string;
  today: string;
  chosen: string;
  due: ReadonlyMap<string, readonly DueEntry[]>;
  onChoose: (day: string) => void;
}) {
  const { weeks, month, today, chosen, due, onChoose } = props;
  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined || !(event.currentTarget instanceof Element)) return;
    event.preventDefault();
    const grid = event.currentTarget;
    onChoose(dayAfter(chosen, step));
    requestAnimationFrame(() => grid.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
  };
  return (
    <table role="grid" class="notifications-month" aria-label="Days" onKeyDown={move}>
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day} scope="col">
              {weekday.format(startOf(day))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const entries = due.get(day) ?? [];
              const looks = [day.startsWith(month) ? '' : 'outside', day === today ? 'today' : ''];
              return (
                <td
                  key={day}
                  role="gridcell"
                  tabindex={day === chosen ? 0 : -1}
                  class={looks.join(' ')}
                  aria-selected={day === chosen}
                  aria-current={day === today ? 'date' : undefined}
                  aria-label={`${dayName(day)}: ${entries.length === 0 ? 'nothing' : plural(entries.length, 'notification')}`}
                  onClick={() => onChoose(day)}>
                  <span class="notifications-date">{Number(day.slice(8))}</span>
                  {entries.slice(0, SHOWN).map((entry) => (
                    <span key={`${entry.notification_id} ${entry.at}`} class="cut notifications-due">
                      <span class="muted">{clockOf(entry)}</span> <bdi>{dueText(entry)}</bdi>
                    </span>
                  ))}
                  {entries.length > SHOWN && <span class="muted">{entries.length - SHOWN} more</span>}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

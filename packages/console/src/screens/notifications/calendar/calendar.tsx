/** What is scheduled, by day: a month with the chosen day below it, and on a phone the days that have something. */
import { addressOf, place, setQuery } from '../../../frame/router.ts';
import { appAddress, may } from '../../../frame/session.ts';
import { LinkButton } from '../../../kit/action.tsx';
import { Badge } from '../../../kit/badge.tsx';
import { formatNumber, plural, zoneName } from '../../../kit/format.ts';
import { useReply, Waiting } from '../../../kit/states.tsx';
import { TwoLines } from '../../../kit/table.tsx';
import { Time } from '../../../kit/time.tsx';
import type { DueEntry, DueList } from '../../../replies.ts';
import { CancelButton } from '../cancel.tsx';
import { audienceWords } from '../notification.tsx';
import { byDay, clockOf, dayAfter, dayName, dayOf, dueText, monthAfter, startOf, weeksOf } from './days.ts';

const SHOWN = 3;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

/** `?month=2026-12`, and `?day=2026-12-24` for the chosen one. */
export function CalendarScreen() {
  const { query } = place.value;
  const today = dayOf(new Date());
  const given = query.get('month') ?? '';
  const month = MONTH.test(given) ? given : today.slice(0, 7);
  const weeks = weeksOf(month);
  const days = weeks.flat();
  const [first = today] = days;
  const chosen = days.find((day) => day === query.get('day')) ?? (days.includes(today) ? today : `${month}-01`);
  const to = startOf(dayAfter(days.at(-1) ?? first, 1));
  const read = useReply<DueList>({
    method: 'GET',
    path: addressOf('/v6/notifications/due', { from: startOf(first).toISOString(), to: to.toISOString() }),
  });
  const due = byDay(read.data?.due ?? [], first);
  const show = (day: string): void => {
    const isShown = days.includes(day);
    setQuery({ day, ...(!isShown && { month: day.slice(0, 7) }) }, isShown ? 'replace' : 'push');
  };
  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Calendar</h1>
        <LinkButton label="All notifications" href={appAddress('notifications')} />
      </div>
      <div class="screen-head">
        <h2 aria-live="polite">{monthName.format(startOf(`${month}-01`))}</h2>
        <nav class="buttons" aria-label="Months">
          <LinkButton label="Earlier" href={addressOf(place.value.path, { month: monthAfter(month, -1) })} />
          <LinkButton label="Today" href={place.value.path} />
          <LinkButton label="Later" href={addressOf(place.value.path, { month: monthAfter(month, 1) })} />
        </nav>
      </div>
      <Waiting of={read} what="Reading what is due" />
      <Month weeks={weeks} month={month} today={today} chosen={chosen} due={due} onChoose={show} />
      {days
        .filter((day) => day === chosen || due.has(day))
        .map((day) => (
          <Day key={day} day={day} isChosen={day === chosen} entries={due.get(day) ?? []} reload={read.reload} />
        ))}
      {read.data !== undefined && <Note due={read.data} />}
    </div>
  );
}

/** One stop of Tab, at the chosen day; the arrow keys go from day to day, also into the next month. */
function Month(props: {
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
    <table role="grid" class="table notifications-month" aria-label="Days" onKeyDown={move}>
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
              return (
                <td
                  key={day}
                  role="gridcell"
                  tabindex={day === chosen ? 0 : -1}
                  class={day.startsWith(month) ? 'clickable' : 'clickable muted'}
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

function Note({ due: { single_count: singles, searched_until: until } }: { due: DueList }) {
  return (
    <p class="muted">
      {singles > 0 &&
        `${plural(singles, 'push', 'pushes')} to single devices or users ${singles === 1 ? 'is' : 'are'} scheduled as well. `}
      Times are in {zoneName()}, and “local” is the clock of each device.{' '}
      {until !== null && (
        <>
          There is too much for one calendar: not everything after <Time at={until} /> is here.
        </>
      )}
    </p>
  );
}

/** @param props.isChosen on a phone, where there is no month to choose from, the others are shown as well */
function Day(props: { day: string; isChosen: boolean; entries: readonly DueEntry[]; reload: () => void }) {
  const { day, isChosen, entries, reload } = props;
  return (
    <section class={isChosen ? undefined : 'notifications-other'} aria-labelledby={`day-${day}`}>
      <h3 id={`day-${day}`}>{dayName(day)}</h3>
      {entries.length === 0 && <p class="muted">Nothing is scheduled.</p>}
      <ul class="lines">
        {entries.map((entry) => (
          <li key={`${entry.notification_id} ${entry.at}`}>
            <a href={appAddress(`notifications/${entry.notification_id}`)}>
              <TwoLines name={<strong>{dueText(entry)}</strong>} text={aboutOf(entry)} />
            </a>
            <span>{clockOf(entry)}</span>
            {entry.kind === 'wave' ? (
              <Badge tone="busy">Wave</Badge>
            ) : (
              may('sender') && <CancelButton id={entry.notification_id} counters={NOT_BEGUN} onDone={reload} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const NOT_BEGUN = { state: 'scheduled', accepted: 0, ambiguous: 0, pending: 0, devices: 0 } as const;

function aboutOf({ audience, devices, time_zones: zones }: DueEntry): string {
  const of = [
    audienceWords(audience.name),
    devices === null ? undefined : `${formatNumber(devices)} devices`,
    zones.length === 0 ? undefined : zones.slice(0, 3).join(', '),
  ];
  return of.filter((part) => part !== undefined).join(' · ');
}

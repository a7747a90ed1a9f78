import type { Content } from '../../kit/content.ts';
import { formatDuration, languageName, listed, plural } from '../../kit/format.ts';
import { TimeAgo } from '../../kit/time.tsx';
import { Card, Facts as FactList } from '../../kit/card.tsx';
import { type Counters, makerWords, type Notification, targetAddress, targetWords } from './notification.tsx';

export function Facts({ notification, counters }: { notification: Notification; counters: Counters }) {
  const { created_at: createdAt, notification: submitted } = notification;
  const { due_at: dueAt, started_at: startedAt, ended_at: endedAt } = counters;
  const { localized, encrypted_texts: encrypted, experiment, time_to_live: ttl, max_recipients: most } = submitted;
  const seconds = (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1_000;
  const took = Number.isNaN(seconds) ? '' : ` after ${seconds < 1 ? 'less than a second' : formatDuration(seconds)}`;
  const languages = Object.keys(localized ?? {}).map((tag) => languageName(tag));
  const facts: Readonly<Record<string, Content>> = {
    To: (
      <a href={targetAddress(notification)}>
        <bdi>{targetWords(notification)}</bdi>
      </a>
    ),
    By: <bdi>{makerWords(notification)}</bdi>,
    Created: <TimeAgo at={createdAt} />,
    Due: dueAt !== createdAt && <TimeAgo at={dueAt} />,
    Started: startedAt !== null && <TimeAgo at={startedAt} />,
    Ended: endedAt !== null && (
      <>
        <TimeAgo at={endedAt} />
        <span class="muted">{took}</span>
      </>
    ),
    Languages: languages.length > 0 && <bdi>{`The default, ${listed(languages)}`}</bdi>,
    'Only the device reads':
      encrypted !== undefined &&
      `A text encrypted for ${plural(Object.keys(encrypted).length, 'key')}; other devices get the one shown here`,
    Experiment: experiment !== undefined && <bdi>{experiment}</bdi>,
    'Kept for': ttl !== undefined && formatDuration(ttl),
    'At most': most !== undefined && plural(most, 'device'),
  };
  return (
    <Card title="Facts">
      <FactList facts={Object.entries(facts)} />
    </Card>
  );
}

/** Chooses the notification to explain: by its id, or by words in it. */
import { useSignal } from '@preact/signals';
import { call } from '../../../frame/api.ts';
import { addressOf, place, setQuery } from '../../../frame/router.ts';
import { TextField } from '../../../kit/form.tsx';
import { Failure, useResource } from '../../../kit/states.tsx';
import { Time } from '../../../kit/time.tsx';
import { Card } from '../../../kit/card.tsx';
import { queryKindOf } from '../query-kind.ts';
import { textOf } from '../words.ts';
import { type Notification, type NotificationPage, targetWords } from '../../notifications/notification.tsx';

const SHOWN = 5;

export function AskWhy() {
  const written = useSignal('');
  const words = useSignal('');
  const { state } = useResource<readonly Notification[] | undefined>(
    async (signal) => {
      if (words.value === '') return undefined;
      const path = addressOf('/v6/notifications', { text: words.value, per: SHOWN });
      return (await call<NotificationPage>({ method: 'GET', path }, signal)).notifications;
    },
    [words.value],
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = written.value.trim();
    if (queryKindOf(text) === 'id') setQuery({ why: text }, 'push');
    else words.value = text;
  };
  const { data, error } = state.value;
  return (
    <Card title="Why did it not get another one?">
      <form class="devices-search" onSubmit={submit}>
        <TextField
          label="Id of the notification, or words in it"
          type="search"
          value={written.value}
          onInput={(value) => (written.value = value)}
        />
        <button disabled={written.value.trim() === ''}>Ask</button>
      </form>
      <div aria-live="polite">
        {error !== undefined && <Failure error={error} />}
        {data !== undefined && (data.length === 0 ? <p>No notification has these words.</p> : <Choice listed={data} />)}
      </div>
    </Card>
  );
}

function Choice({ listed }: { listed: readonly Notification[] }) {
  return (
    <ul class="stack close">
      {listed.map((one) => (
        <li key={one.id}>
          <a href={addressOf(place.value.path, { why: one.id })}>
            <bdi>{textOf(one.notification.payload ?? {}) ?? 'without text'}</bdi>
          </a>{' '}
          <span class="muted">
            To: <bdi>{targetWords(one)}</bdi>, <Time at={one.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

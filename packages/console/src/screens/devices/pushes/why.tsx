/** Why the device did not get one notification, which `?why=<notification id>` names, and the choice of another one. */
import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { call } from '../../../frame/api.ts';
import { addressOf, place, setQuery } from '../../../frame/router.ts';
import { appAddress } from '../../../frame/session.ts';
import { Card } from '../../../kit/card.tsx';
import { Id } from '../../../kit/copy.tsx';
import { ForDevelopers } from '../../../kit/developer/drawer.tsx';
import { TextField } from '../../../kit/form.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { Failure, useReply, useResource, useWhileVisible, Waiting } from '../../../kit/states.tsx';
import { Time, TimeAgo } from '../../../kit/time.tsx';
import { queryKindOf } from '../query-kind.ts';
import { textOf, valueText } from '../words.ts';
import type { DeliveryExplanation } from '../../../replies.ts';
import { type Notification, type NotificationPage, targetWords } from '../../notifications/notification.tsx';

/** A push usually has its outcome within a second. */
const LOOK_AGAIN_MS = 1_000;
const LOOKS_MAX = 60;
/** Notifications that have the words for which a reader looks. */
const SHOWN = 5;

/** `onOutcome` is called when an outcome arrives after the page was opened; `isNew`: the notification was sent from there. */
export function Why(props: { notificationId: string; deviceId: string; isNew: boolean; onOutcome: () => void }) {
  const { notificationId, deviceId, isNew, onOutcome } = props;
  const [notification = '', device = ''] = [notificationId, deviceId].map(encodeURIComponent);
  const path = `/v6/notifications/${notification}`;
  const asked = useReply<DeliveryExplanation>({ method: 'GET', path: `${path}/deliveries/${device}/explanation` });
  const asker = useReply<Notification>({ method: 'GET', path }).data;
  /** Brought into view: the link that asked may be far below. */
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const looks = useSignal(0);
  const { data, refresh } = asked;
  const isWaiting = data !== undefined && isUnderway(data) && looks.value < LOOKS_MAX;
  useWhileVisible(isWaiting ? LOOK_AGAIN_MS : undefined, () => {
    looks.value += 1;
    refresh();
  });
  const hasCome = data !== undefined && data.outcome !== null && (isNew || looks.value > 0);
  useEffect(() => {
    if (hasCome) onOutcome();
  }, [hasCome]);
  return (
    <section class="card stack devices-why" aria-labelledby="why">
      <div class="screen-head">
        <h2 id="why" ref={title} tabIndex={-1}>
          What happened to this notification
        </h2>
        <button
          type="button"
          class="plain"
          aria-label="Close the explanation"
          onClick={() => setQuery({ why: undefined }, 'push')}>
          <Icon name="cross" />
        </button>
      </div>
      <p>
        <a href={appAddress(`notifications/${notificationId}`)}>
          <bdi>
            {asker === undefined
              ? notificationId
              : (textOf(asker.notification.payload ?? {}) ?? 'A notification without text')}
          </bdi>
        </a>{' '}
        {asker !== undefined && (
          <span class="muted">
            To: <bdi>{targetWords(asker)}</bdi>
          </span>
        )}
      </p>
      <div class="stack" aria-live="polite">
        <Waiting of={asked} />
        {asked.error === undefined && data !== undefined && <Answer explanation={data} />}
      </div>
    </section>
  );
}

/** Whether it is due and has no outcome yet; nothing else changes soon by itself. */
function isUnderway({ outcome, causes }: DeliveryExplanation): boolean {
  const isDue = causes.every(({ code, at }) => code !== 'scheduled' || at === null || Date.parse(at) <= Date.now());
  return outcome === null && isDue && causes.some(({ code }) => code === 'sending' || code === 'scheduled');
}

function Answer({ explanation }: { explanation: DeliveryExplanation }) {
  const { outcome, apns_unique_id: uniqueId, variant, causes, audience } = explanation;
  const [first, ...others] = causes;
  if (first === undefined) return undefined;
  return (
    <>
      <p class="devices-answer" data-cause={first.code}>
        {first.sentence}
      </p>
      {first.at !== null && (
        <p class="muted">
          <TimeAgo at={first.at} />: <Time at={first.at} />
        </p>
      )}
      {variant !== null && (
        <p>
          {variant.name === 'hold_out'
            ? 'It is in the hold-out of the A/B test.'
            : ['Its variant of the A/B test is ', <bdi>{variant.name}</bdi>, '.']}{' '}
          <span class="muted">{variant.sentence}</span>
        </p>
      )}
      {uniqueId !== null && (
        <ForDevelopers title="The push at Apple">
          <p>Apple’s Push Notifications Console shows with this id what became of it.</p>
          <Id value={uniqueId} />
        </ForDevelopers>
      )}
      {others.length > 0 && (
        <>
          <h3>{outcome === 'accepted' ? 'Possible causes after that' : 'Also'}</h3>
          <ol class="stack close devices-causes">
            {others.map(({ code, sentence, at }) => (
              <li key={code} data-cause={code}>
                {sentence}
                {at !== null && (
                  <div class="muted">
                    <TimeAgo at={at} />
                  </div>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
      {audience !== null && audience.filters.length > 0 && (
        <>
          <h3>Its audience, with the device as it is now</h3>
          <ul class="stack close">
            {audience.filters.map(({ name, matches, not_filter: isNot, value }, index) => (
              <li key={index} class="in-line">
                <span class={matches ? 'toned good' : 'toned bad'}>
                  <Icon name={matches ? 'check' : 'cross'} />
                  <span class="visually-hidden">{matches ? 'selects it:' : 'does not select it:'}</span>
                </span>
                <code>{isNot ? `not ${name}` : name}</code>
                <span>
                  <span class="muted">the device has </span>
                  {value === null || value === undefined ? 'nothing' : <bdi>{valueText(value)}</bdi>}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Chooses the notification to explain: by its id, or by words in it. */
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

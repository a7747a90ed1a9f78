/** Whether pushes reach the device, first and in words; and its tokens for other push types, and those that it has lost. */
import type { Tone } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { TimeAgo } from '../../kit/time.tsx';
import { Card } from '../../kit/card.tsx';
import { routeNames } from '../settings/credentials/routes.ts';
import type { Device, DeviceTokens, PushTokenState } from '../../replies.ts';

const LOST_SHOWN = 5;

export function Verdict({ device, token }: { device: Device; token: PushTokenState }) {
  const { tone, label, text } = verdictOf(device, token);
  return (
    <p class={`note ${tone}`}>
      <strong>{label}</strong> {text}
    </p>
  );
}

function verdictOf(
  device: Device,
  { state, route, retired: [lost] }: PushTokenState,
): { tone: Tone; label: string; text: Content } {
  const nothing = 'Nothing reaches it.';
  switch (state) {
    case 'live':
      return device.notifications_allowed === 'Disabled'
        ? {
            tone: 'warn',
            label: 'Shows nothing.',
            text: 'Pushes arrive, but its user has turned notifications off, so the phone shows none.',
          }
        : { tone: 'good', label: 'Pushes reach it', text: `through ${routeNames[route]}.` };
    case 'set_aside': {
      const remedy = device.development
        ? 'If this is not a development build, remove the flag: the token then comes back.'
        : 'If this is a development build, flag the device as development: the token then comes back.';
      const text = `Apple does not know its push token in this environment. ${remedy}`;
      return { tone: 'warn', label: nothing, text };
    }
    case 'retired': {
      const when = lost !== undefined && [' ', <TimeAgo at={lost.retired_at} />];
      const text = [
        'The gateway reported its push token dead',
        when,
        '. It gets a new one when the app is opened on it.',
      ];
      return { tone: 'bad', label: nothing, text };
    }
    case 'none': {
      const text = 'It has no push token: another device has registered its token, or the app has removed it.';
      return { tone: 'bad', label: nothing, text };
    }
  }
}

/** Nothing, if there are none. */
export function OtherTokens({ lost, named }: { lost: PushTokenState['retired']; named: DeviceTokens['tokens'] }) {
  return (
    <>
      {named.length > 0 && (
        <Card title="Tokens for Live Activities and other push types">
          <ul class="stack close">
            {named.map(({ token_type: type, token_name: name, registered_at: at }) => (
              <li key={`${type} ${name}`}>
                <bdi>{name}</bdi>{' '}
                <span class="muted">
                  {type}, <TimeAgo at={at} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {lost.length > 0 && (
        <Card title="Lost push tokens">
          <ul class="stack close">
            {lost.slice(0, LOST_SHOWN).map(({ reason, retired_at: at, kept }) => (
              <li key={at}>
                {reason}{' '}
                <span class="muted">
                  <TimeAgo at={at} />
                  {kept && ', kept for now'}
                </span>
              </li>
            ))}
          </ul>
          {lost.length > LOST_SHOWN && <p class="muted">and {lost.length - LOST_SHOWN} earlier ones</p>}
        </Card>
      )}
    </>
  );
}

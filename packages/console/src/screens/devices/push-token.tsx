/**
 * The state of a push token: whether the device has one, and how it lost others; its other tokens by name. No token
 * itself is shown.
 */
import { Badge, type Tone } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { Time } from '../../kit/time.tsx';
import { routeLabels } from './words.ts';
import type { Device, DeviceTokens, PushTokenState } from '../../replies.ts';

export const tokenBadges: Readonly<Record<PushTokenState['state'], { tone: Tone; label: string }>> = {
  live: { tone: 'good', label: 'token live' },
  set_aside: { tone: 'warn', label: 'token set aside' },
  retired: { tone: 'bad', label: 'token retired' },
  none: { tone: 'bad', label: 'no token' },
};

const sentences: Readonly<Record<PushTokenState['state'], string>> = {
  live: 'The device has a push token.',
  set_aside: 'Apple does not know its token in this environment.',
  retired: 'The gateway reported its token dead. The device gets a new one when the app is opened on it.',
  none: 'The device has no push token: another device has registered its token, or the app has removed it.',
};

const LOST_SHOWN = 5;

interface Props {
  device: Device;
  token: PushTokenState;
  named: DeviceTokens['tokens'];
}

export function PushToken({ device, token, named }: Props): Content {
  const { state, route, presented_at: presentedAt, retired } = token;
  const remedy = device.development
    ? 'If this is not a development build, remove the flag: the token then comes back.'
    : 'If this is a development build, flag the device as development: the token then comes back.';
  return (
    <section class="card" aria-labelledby="push-token">
      <h2 id="push-token">Push token</h2>
      <p>
        <Badge tone={tokenBadges[state].tone}>{tokenBadges[state].label}</Badge> {sentences[state]}
        {state === 'set_aside' && ` ${remedy}`}
      </p>
      <dl class="facts devices-facts">
        <dt>Way to the device</dt>
        <dd>{routeLabels[route]}</dd>
        {device.platform !== 'iOS' && token.push_token_type !== null && (
          <>
            <dt>Kind</dt>
            <dd>{token.push_token_type === 'fid' ? 'Firebase installation id' : 'registration token'}</dd>
          </>
        )}
        {presentedAt !== null && (
          <>
            <dt>Sent by the app</dt>
            <dd>
              <Time at={presentedAt} />
            </dd>
          </>
        )}
      </dl>
      {named.length > 0 && (
        <>
          <h3>Tokens for Live Activities and other push types</h3>
          <ul class="devices-lost">
            {named.map(({ token_type: type, token_name: name, registered_at: at }) => (
              <li key={`${type} ${name}`}>
                <code>{type}</code> <bdi>{name}</bdi> <Time at={at} />
              </li>
            ))}
          </ul>
        </>
      )}
      {retired.length > 0 && (
        <>
          <h3>Lost tokens</h3>
          <ul class="devices-lost">
            {retired.slice(0, LOST_SHOWN).map((lost) => (
              <li key={lost.retired_at}>
                <code>{lost.reason}</code> <Time at={lost.retired_at} />
                {lost.kept && (
                  <>
                    {' '}
                    <span class="muted">kept for now</span>
                  </>
                )}
              </li>
            ))}
          </ul>
          {retired.length > LOST_SHOWN && <p class="muted">and {retired.length - LOST_SHOWN} earlier ones</p>}
        </>
      )}
    </section>
  );
}

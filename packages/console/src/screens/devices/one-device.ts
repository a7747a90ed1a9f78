/** One device: its attributes, its past pushes, and the actions on it. */
import { useSignal } from '@preact/signals';
import { ApiFailure, type ApiCall, call } from '../../frame/api.ts';
import { place } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.ts';
import { Id } from '../../kit/copy.ts';
import { CurlButton } from '../../kit/curl.ts';
import { html, type Content } from '../../kit/html.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.ts';
import { Actions } from './actions.ts';
import { AskWhy } from './ask-why.ts';
import { Changes } from './changes.ts';
import { Attributes, CustomAttributes, Events } from './facts.ts';
import { Location } from './location.ts';
import { outcomesCall, PastOutcomes } from './past-outcomes.ts';
import { PushToken, tokenBadges } from './push-token.ts';
import type { Device, DeviceOutcomes, NamedTokens, TokenState } from './replies.ts';
import { Why } from './why.ts';
import { nameOf, versionOf } from './words.ts';

interface Shown {
  device: Device;
  token: TokenState;
  named: NamedTokens;
  outcomes: DeviceOutcomes;
}

export function OneDevice({ params }: { params: { device_id: string } }): Content {
  const id = params.device_id.toLowerCase();
  const why = place.value.query.get('why') ?? undefined;
  const { device: deviceCall, token: tokenCall, named: namedCall } = callsOf(id);
  /** Rises with every change, so that the parts are read again. */
  const round = useSignal(0);
  /** The test push that was sent from here. */
  const sent = useSignal<string | undefined>(undefined);
  const { state, reload } = useResource<Shown>(
    async (signal) => {
      const [{ device }, token, named, outcomes] = await Promise.all([
        call<{ device: Device }>(deviceCall, signal),
        call<TokenState>(tokenCall, signal),
        call<NamedTokens>(namedCall, signal),
        call<DeviceOutcomes>(outcomesCall(id), signal),
      ]);
      return { device, token, named, outcomes };
    },
    [id, round.value],
  );
  const { data, error } = state.value;
  const change = (): void => {
    round.value += 1;
  };
  const explained =
    why !== undefined &&
    html`<${Why}
      key=${why}
      notificationId=${why}
      deviceId=${id}
      isNew=${why === sent.value}
      onOutcome=${change}
    />`;
  if (error !== undefined) {
    return html`<div class="stack">
      <${Back} />
      <h1>Device</h1>
      ${explained}
      ${
        error instanceof ApiFailure && error.code === 'not_found'
          ? html`<${Empty} title="There is no such device">
              <p>It was erased, or the app never had a device with this id.</p>
              <a class="button" href=${appAddress('devices', { q: id })}>Look it up</a>
            <//>`
          : html`<${Failure} error=${error} retry=${reload} />`
      }
    </div>`;
  }
  if (data === undefined) {
    return html`<div class="stack">
      <${Back} />
      <h1>Device</h1>
      <${Loading} what="Loading the device" />
    </div>`;
  }
  const { device, token, named, outcomes } = data;
  return html`<div class="stack">
    <${Back} />
    <div class="screen-head">
      <div class="devices-title">
        <h1><bdi>${nameOf(device)}</bdi></h1>
        <div class="buttons">
          <${Badge}>${versionOf(device)}<//>
          <${Badge} tone=${tokenBadges[token.state].tone}>${tokenBadges[token.state].label}<//>
          ${device.development && html`<${Badge} tone="busy">development<//>`}
          ${device.notifications_allowed === 'Disabled' && html`<${Badge} tone="warn">notifications off<//>`}
        </div>
      </div>
      <${Actions}
        device=${device}
        onChanged=${change}
        onSent=${(notificationId: string) => (sent.value = notificationId)}
      />
    </div>
    <div class="devices-ids">
      <${Id} value=${device.id} />
      ${
        device.user_id !== null &&
        html`<a href=${appAddress('devices', { q: device.user_id })}>
          All devices of <bdi>${device.user_id}</bdi>
        </a>`
      }
      <a href=${appAddress('audiences', { device: device.id })}>Is it in an audience?</a>
      <${CurlButton} call=${deviceCall} />
    </div>
    ${explained}
    <${PastOutcomes} key=${`${id} ${round.value}`} deviceId=${id} first=${outcomes} />
    <div class="devices-columns">
      <div class="stack">
        <${PushToken} device=${device} token=${token} named=${named.tokens} />
        ${may('admin') && html`<${Changes} deviceId=${id} round=${round.value} />`}
      </div>
      <div class="stack">
        <${AskWhy} />
        <${Location} device=${device} />
      </div>
    </div>
    <${Attributes} device=${device} />
    <div class="devices-columns">
      <${CustomAttributes} custom=${device.custom} />
      <${Events} events=${device.events} />
    </div>
  </div>`;
}

function callsOf(id: string): { device: ApiCall; token: ApiCall; named: ApiCall } {
  const path = `/v6/devices/${encodeURIComponent(id)}`;
  return {
    device: { method: 'GET', path },
    token: { method: 'GET', path: `${path}/push-token` },
    named: { method: 'GET', path: `${path}/tokens` },
  };
}

function Back(): Content {
  return html`<nav aria-label="Way back"><a href=${appAddress('devices')}>Devices</a></nav>`;
}

/**
 * Simulates Apple: for production and for the sandbox, a listener for pushes and one for the management of channels, with
 * Apple's rules and replies. As at Apple, a connection has a single stream until a request has been accepted.
 */
import { randomUUID } from 'node:crypto';
import { type AppleAuthority, createAppleAuthority } from './authority.ts';
import { type ChannelBook, createChannelBook } from './channel-book.ts';
import { isBroadcast } from './channel-request.ts';
import { openManagement, provenConnections, serveBroadcast } from './channel-listener.ts';
import { createPayloadJudge } from './payload.ts';
import { appleStatus } from './reasons.ts';
import { type AppleDevice, apnsIdOf, judgeAppleRequest, tokenOfPath } from './request.ts';
import type { AppleEnvironment } from '../ledger.ts';
import { type Exchange, keptHeaders, listen, type Listener, type Reply } from '../listener.ts';
import { type Servable, serve, type Shared } from '../answer-or-fault.ts';

interface ApplePorts {
  apnsProduction: number;
  apnsSandbox: number;
  /** For the management of channels. */
  channelsProduction: number;
  channelsSandbox: number;
}

export interface AppleOptions extends Shared {
  ports: Partial<ApplePorts>;
  /** SETTINGS_MAX_CONCURRENT_STREAMS until a push has been accepted; 1 at Apple. */
  initialStreams: number;
  /** Whether a team's second new provider token within 20 minutes is refused. */
  limitTokenUpdates: boolean;
  /** Channels that an app may have in an environment; 10,000 at Apple. */
  channelsMax: number;
}

export async function openApple(options: AppleOptions) {
  const authority = createAppleAuthority(options);
  const devices = new Map<string, AppleDevice>();
  const channels = createChannelBook(options.channelsMax);
  const opened: Listener[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map(async (listener) => listener.close()));
  };
  const keepOpen = async (listening: Promise<Listener>): Promise<number> => {
    const listener = await listening;
    opened.push(listener);
    return listener.port;
  };
  const openPushes = (environment: AppleEnvironment, port = 0): Promise<Listener> =>
    openEnvironment(environment, { authority, devices, channels }, { ...options, port });
  const openChannels = (environment: AppleEnvironment, port = 0): Promise<Listener> =>
    openManagement({ environment, authority, channels }, { ...options, port });
  const { apnsProduction, apnsSandbox, channelsProduction, channelsSandbox } = options.ports;
  let ports: ApplePorts;
  try {
    ports = {
      apnsProduction: await keepOpen(openPushes('production', apnsProduction)),
      apnsSandbox: await keepOpen(openPushes('sandbox', apnsSandbox)),
      channelsProduction: await keepOpen(openChannels('production', channelsProduction)),
      channelsSandbox: await keepOpen(openChannels('sandbox', channelsSandbox)),
    };
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ports,
    authority,
    channels,
    /** Assigns a push token to a topic and an environment. Other tokens are valid for all. */
    registerDevice: (device: AppleDevice): void => void devices.set(device.token, device),
    close,
  };
}

function openEnvironment(
  environment: AppleEnvironment,
  here: { authority: AppleAuthority; channels: ChannelBook; devices: ReadonlyMap<string, AppleDevice> },
  options: Shared & { initialStreams: number; port: number },
): Promise<Listener> {
  const { authority, channels, devices } = here;
  const { clock, initialStreams, ledger } = options;
  const judgePayload = createPayloadJudge();
  const connections = provenConnections(initialStreams);

  const judge = (exchange: Exchange, apnsId: string): Reply => {
    const connectionTeam = connections.teamOf(exchange.connection);
    const context = { environment, authority, connectionTeam, devices, judgePayload };
    const judgement = judgeAppleRequest(exchange, context);
    if (typeof judgement === 'string') {
      ledger.refused('apns', judgement);
      return { status: appleStatus(judgement), ...appleError(apnsId, { reason: judgement }) };
    }
    const { token, topic, team, payload } = judgement;
    connections.prove(exchange.connection, team);
    ledger.took('apns', token, payload.nid, () => ({
      gateway: 'apns',
      environment,
      token,
      topic,
      apnsId,
      headers: keptHeaders(exchange),
      body: exchange.body.toString(),
      payload: payload.payload,
      nid: payload.nid,
      at: clock(),
    }));
    const uniqueId = environment === 'sandbox' ? { 'apns-unique-id': randomUUID() } : {};
    return { status: 200, headers: { 'apns-id': apnsId, ...uniqueId }, body: '' };
  };

  const onExchange = (exchange: Exchange): void => {
    if (isBroadcast(exchange.path)) {
      serveBroadcast(exchange, { environment, authority, channels, connections }, options);
      return;
    }
    const apnsId = apnsIdOf(exchange);
    const request: Servable = {
      gateway: 'apns',
      environment,
      token: tokenOfPath(exchange.path),
      judge: () => judge(exchange, apnsId),
      // Only a 410 has a timestamp.
      answer: ({ status, reason, timestamp = clock().getTime() }) =>
        appleError(apnsId, { reason, ...(status === 410 && { timestamp }) }),
    };
    serve(exchange, request, options);
  };

  return listen({ ...options, streamsMax: initialStreams, protocols: () => ['h2'], onExchange });
}

function appleError(apnsId: string, body: object): Omit<Reply, 'status'> {
  return {
    headers: { 'apns-id': apnsId, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

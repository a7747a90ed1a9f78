/**
 * Simulates Apple: for production and for the sandbox, a listener for pushes and one for the management of channels, with
 * Apple's rules and replies. As at Apple, a connection has a single stream until a request has been accepted.
 */
import { randomUUID } from 'node:crypto';
import { type AppleAuthority, createAppleAuthority } from './authority.ts';
import { type ChannelBook, createChannelBook } from './channel-book.ts';
import { isBroadcast } from './channel-request.ts';
import { openManagement, provenConnections, serveBroadcast } from './channel-listener.ts';
import type { AppleOptions, ApplePorts } from './options.ts';
import { createPayloadJudge } from './payload.ts';
import { appleStatus } from './reasons.ts';
import {
  type AppleDevice,
  type AppleJudgement,
  apnsIdOf,
  judgeAppleRequest,
  tokenOfPath,
} from './request.ts';
import type { Ending } from '../faults.ts';
import { keptHeaders } from '../kept-headers.ts';
import type { AppleEnvironment } from '../ledger.ts';
import { type Exchange, listen, type Listener, type Reply } from '../listener.ts';
import { serve } from '../answer-or-fault.ts';

export interface Apple {
  ports: ApplePorts;
  authority: AppleAuthority;
  channels: ChannelBook;
  /** Assigns a push token to a topic and an environment. Other tokens are valid for all. */
  registerDevice(device: AppleDevice): void;
  close(): Promise<void>;
}

export async function openApple(options: AppleOptions): Promise<Apple> {
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
  const openPushes = (environment: AppleEnvironment): Promise<Listener> =>
    openEnvironment(environment, { authority, devices, channels }, options);
  const openChannels = (environment: AppleEnvironment, port: number): Promise<Listener> =>
    openManagement({ environment, authority, channels }, { ...options, port });
  let ports: ApplePorts;
  try {
    ports = {
      production: await keepOpen(openPushes('production')),
      sandbox: await keepOpen(openPushes('sandbox')),
      channelsProduction: await keepOpen(openChannels('production', options.ports.channelsProduction)),
      channelsSandbox: await keepOpen(openChannels('sandbox', options.ports.channelsSandbox)),
    };
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ports,
    authority,
    channels,
    registerDevice: (device) => {
      devices.set(device.token, device);
    },
    close,
  };
}

function openEnvironment(
  environment: AppleEnvironment,
  {
    authority,
    devices,
    channels,
  }: Pick<Apple, 'authority' | 'channels'> & { devices: ReadonlyMap<string, AppleDevice> },
  options: AppleOptions,
): Promise<Listener> {
  const { clock, host, ports, certificate, initialStreams, ledger, faults, delays } = options;
  const judgePayload = createPayloadJudge();
  const connections = provenConnections(initialStreams);

  const book = (exchange: Exchange, apnsId: string, judgement: AppleJudgement): Reply => {
    if (judgement.kind === 'refused') {
      ledger.refused('apns', judgement.reason);
      return appleError(apnsId, appleStatus(judgement.reason), { reason: judgement.reason });
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
    ledger.asked('apns', exchange.connection.requests);
    if (isBroadcast(exchange.path)) {
      serveBroadcast(exchange, { environment, authority, channels, connections }, options);
      return;
    }
    const apnsId = apnsIdOf(exchange);
    const judge = (): Reply => {
      const connectionTeam = connections.teamOf(exchange.connection);
      const context = { environment, authority, connectionTeam, devices, judgePayload };
      return book(exchange, apnsId, judgeAppleRequest(exchange, context));
    };
    const answer = (ordered: Extract<Ending, { kind: 'answer' }>): Reply => {
      ledger.refused('apns', ordered.reason ?? `HTTP ${ordered.status}`);
      const reply = appleError(apnsId, ordered.status, {
        ...(ordered.reason === undefined ? {} : { reason: ordered.reason }),
        // Only a 410 has a timestamp.
        ...(ordered.status === 410 ? { timestamp: ordered.timestamp ?? clock().getTime() } : {}),
      });
      return {
        status: reply.status,
        headers: { ...reply.headers, ...ordered.headers },
        body: ordered.body ?? reply.body,
      };
    };
    serve(
      exchange,
      { gateway: 'apns', environment, token: tokenOfPath(exchange.path), judge, answer },
      faults,
      delays,
    );
  };

  return listen({
    host,
    port: ports[environment],
    certificate,
    streamsMax: initialStreams,
    protocols: () => ['h2'],
    onExchange,
  });
}

function appleError(apnsId: string, status: number, body: { reason?: string; timestamp?: number }): Reply {
  return {
    status,
    headers: { 'apns-id': apnsId, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

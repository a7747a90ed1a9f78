/**
 * The channels of the simulated Apple: answers broadcasts on the listener for pushes, and opens the listener for the
 * management of channels, which at Apple has a host and a port of its own.
 */
import type { AppleEnvironment } from '../ledger.ts';
import {
  type Connection,
  type Exchange,
  keptHeaders,
  listen,
  type Listener,
  type Reply,
} from '../listener.ts';
import { type Servable, serve, type Shared } from '../answer-or-fault.ts';
import type { AppleAuthority, AppleTeam } from './authority.ts';
import type { ChannelBook } from './channel-book.ts';
import {
  type ChannelContext,
  channelIdOf,
  judgeBroadcast,
  judgeManagement,
  requestIdOf,
} from './channel-request.ts';
import { type AppleReason, appleStatus } from './reasons.ts';

/** Roughly Apple's limit on a connection after its first accepted request. */
const STREAMS_MAX = 1000;

type ProvenConnections = ReturnType<typeof provenConnections>;

/**
 * The teams of connections that have sent an accepted request.
 * @param initialStreams the streams of a connection before that
 */
export function provenConnections(initialStreams: number) {
  const teams = new WeakMap<Connection, AppleTeam>();
  return {
    teamOf: (connection: Connection): AppleTeam | undefined => teams.get(connection),
    prove: (connection: Connection, team: AppleTeam): void => {
      if (teams.has(connection)) return;
      teams.set(connection, team);
      if (initialStreams < STREAMS_MAX) connection.setStreamsMax(STREAMS_MAX);
    },
  };
}

interface ChannelEnvironment {
  environment: AppleEnvironment;
  authority: AppleAuthority;
  channels: ChannelBook;
  connections: ProvenConnections;
}

/** Answers a request for a broadcast. */
export function serveBroadcast(exchange: Exchange, here: ChannelEnvironment, shared: Shared): void {
  const { clock, ledger } = shared;
  const { environment, channels, connections } = here;
  const requestId = requestIdOf(exchange);
  const judge = (): Reply => {
    const judgement = judgeBroadcast(exchange, contextOf(exchange, here));
    if (typeof judgement === 'string') {
      ledger.refused('apns', judgement);
      return refusal(requestId, judgement);
    }
    const { team, channel, payload } = judgement;
    connections.prove(exchange.connection, team);
    channels.accept({
      channelId: channel.id,
      bundleId: channel.bundleId,
      environment,
      requestId,
      headers: keptHeaders(exchange),
      payload,
      at: clock(),
    });
    return { status: 200, headers: { 'apns-request-id': requestId }, body: '' };
  };
  serveChannel(exchange, { gateway: 'apns', environment, judge, requestId }, shared);
}

/** Opens the listener for the management of channels in one environment. */
export function openManagement(
  here: Omit<ChannelEnvironment, 'connections'>,
  options: Shared & { initialStreams: number; port: number },
): Promise<Listener> {
  const { ledger, initialStreams } = options;
  const connections = provenConnections(initialStreams);
  const inEnvironment = { ...here, connections };
  const gateway = 'apns_channels';
  const onExchange = (exchange: Exchange): void => {
    const requestId = requestIdOf(exchange);
    const judge = (): Reply => {
      const judgement = judgeManagement(exchange, contextOf(exchange, inEnvironment));
      if (typeof judgement === 'string') {
        ledger.refused(gateway, judgement);
        return refusal(requestId, judgement);
      }
      const { team, status, channelId, body } = judgement;
      connections.prove(exchange.connection, team);
      ledger.accepted(gateway);
      const headers = {
        'apns-request-id': requestId,
        ...(channelId !== undefined && { 'apns-channel-id': channelId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      return { status, headers, body: body === undefined ? '' : JSON.stringify(body) };
    };
    serveChannel(exchange, { gateway, environment: here.environment, judge, requestId }, options);
  };
  return listen({ ...options, streamsMax: initialStreams, protocols: () => ['h2'], onExchange });
}

function contextOf(exchange: Exchange, here: ChannelEnvironment): ChannelContext {
  const { environment, authority, channels, connections } = here;
  return { environment, authority, channels, connectionTeam: connections.teamOf(exchange.connection) };
}

/** A fault may name a channel in place of a push token. */
function serveChannel(
  exchange: Exchange,
  {
    gateway,
    environment,
    judge,
    requestId,
  }: Pick<Servable, 'gateway' | 'environment' | 'judge'> & { requestId: string },
  shared: Shared,
): void {
  const answer: Servable['answer'] = ({ reason }) => errorOf(requestId, reason);
  serve(exchange, { gateway, environment, token: channelIdOf(exchange), judge, answer }, shared);
}

function refusal(requestId: string, reason: AppleReason): Reply {
  return { status: appleStatus(reason), ...errorOf(requestId, reason) };
}

function errorOf(requestId: string, reason: string | undefined): Omit<Reply, 'status'> {
  return {
    headers: { 'apns-request-id': requestId, 'content-type': 'application/json' },
    body: JSON.stringify({ reason }),
  };
}

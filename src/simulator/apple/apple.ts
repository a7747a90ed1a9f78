/**
 * Simulates Apple: a listener for production and one for the sandbox, with Apple's rules and replies. As at Apple, a
 * connection has a single stream until a push has been accepted.
 */
import { type AppleAuthority, type AppleTeam, createAppleAuthority } from './authority.ts';
import { createPayloadJudge } from './payload.ts';
import { appleStatus } from './reasons.ts';
import {
  type AppleDevice,
  type AppleJudgement,
  apnsIdOf,
  judgeAppleRequest,
  tokenOfPath,
} from './request.ts';
import type { Clock } from '../../clock.ts';
import type { Certificate } from '../certificate.ts';
import type { Ending, FaultBook } from '../faults.ts';
import { keptHeaders } from '../kept-headers.ts';
import type { AppleEnvironment, Ledger } from '../ledger.ts';
import { type Connection, type Exchange, listen, type Listener, type Reply } from '../listener.ts';
import { type Delays, serve } from '../serve.ts';

export interface AppleOptions {
  clock: Clock;
  host: string;
  ports: { production: number; sandbox: number };
  certificate: Certificate;
  /** SETTINGS_MAX_CONCURRENT_STREAMS until a push has been accepted; 1 at Apple. */
  initialStreams: number;
  /** Whether a team's second new provider token within 20 minutes is refused. */
  limitTokenUpdates: boolean;
  ledger: Ledger;
  faults: FaultBook;
  delays: Delays;
}

export interface Apple {
  ports: { production: number; sandbox: number };
  authority: AppleAuthority;
  /** Assigns a push token to a topic and an environment. Other tokens are valid for all. */
  registerDevice(device: AppleDevice): void;
  close(): Promise<void>;
}

/** Roughly Apple's limit on a connection after its first accepted push. */
const STREAMS_MAX = 1000;

export async function openApple(options: AppleOptions): Promise<Apple> {
  const authority = createAppleAuthority(options);
  const devices = new Map<string, AppleDevice>();
  const open = (environment: AppleEnvironment): Promise<Listener> =>
    openEnvironment(environment, authority, devices, options);
  const production = await open('production');
  const sandbox = await open('sandbox').catch(async (error: unknown) => {
    await production.close();
    throw error;
  });
  return {
    ports: { production: production.port, sandbox: sandbox.port },
    authority,
    registerDevice: (device) => {
      devices.set(device.token, device);
    },
    close: async () => {
      await Promise.all([production.close(), sandbox.close()]);
    },
  };
}

function openEnvironment(
  environment: AppleEnvironment,
  authority: AppleAuthority,
  devices: ReadonlyMap<string, AppleDevice>,
  { clock, host, ports, certificate, initialStreams, ledger, faults, delays }: AppleOptions,
): Promise<Listener> {
  const judgePayload = createPayloadJudge();
  const teamOfConnection = new WeakMap<Connection, AppleTeam>();

  const proveConnection = (connection: Connection, team: AppleTeam): void => {
    if (teamOfConnection.has(connection)) return;
    teamOfConnection.set(connection, team);
    if (initialStreams < STREAMS_MAX) connection.setStreamsMax(STREAMS_MAX);
  };

  const book = (exchange: Exchange, apnsId: string, judgement: AppleJudgement): Reply => {
    if (judgement.kind === 'refused') {
      ledger.refused('apns', judgement.reason);
      return appleError(apnsId, appleStatus(judgement.reason), { reason: judgement.reason });
    }
    const { token, topic, team, payload } = judgement;
    proveConnection(exchange.connection, team);
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
    return { status: 200, headers: { 'apns-id': apnsId }, body: '' };
  };

  const onExchange = (exchange: Exchange): void => {
    ledger.asked('apns', exchange.connection.requests);
    const apnsId = apnsIdOf(exchange);
    const judge = (): Reply => {
      const connectionTeam = teamOfConnection.get(exchange.connection);
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
    allowHttp1: false,
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

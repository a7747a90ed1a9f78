/**
 * Records requests and accepted pushes. Only the newest pushes are kept in full, up to a limit. All pushes are
 * counted per push token and notification, so that repeated pushes are always found.
 */
import type { WebUrgency } from './web/request.ts';
import type { WebService } from './web/subscriptions.ts';

interface PushCommon {
  /** Of a browser, its endpoint. */
  token: string;
  /** The request's headers, names in lower case. */
  headers: Record<string, string>;
  /** The request's body, byte for byte; of a push to a browser, in base64url. */
  body: string;
  /** The notification id, which every push of Carillon contains; null in other pushes. */
  nid: string | null;
  at: Date;
}

export interface ApplePush extends PushCommon {
  gateway: 'apns';
  environment: AppleEnvironment;
  topic: string;
  apnsId: string;
  payload: Readonly<Record<string, unknown>>;
}

export interface GooglePush extends PushCommon {
  gateway: 'fcm';
  projectId: string;
  /** `projects/<project>/messages/<id>`, as in the answer. */
  name: string;
  message: Readonly<Record<string, unknown>>;
}

export interface WebPush extends PushCommon {
  gateway: 'web_push';
  service: WebService;
  /** In seconds, at most what the service keeps. */
  ttl: number;
  urgency: WebUrgency;
  topic: string | null;
  /** The contact that the sender names. */
  subject: string;
  /** The decrypted body; null where there was none, where it did not decrypt, or where bodies are not decrypted. */
  text: string | null;
  /** Why the body did not decrypt. A service cannot know it, and has accepted the push. */
  bodyFault: string | null;
}

export type AppleEnvironment = 'production' | 'sandbox';
export type ReceivedPush = ApplePush | GooglePush | WebPush;
export type PushGateway = ReceivedPush['gateway'];
/** The endpoints whose requests are counted. */
export type CountedGateway = PushGateway | 'apns_channels' | 'oauth';

export interface GatewayCounts {
  /** Connections with at least one request. */
  connections: number;
  requests: number;
  /** Accepted pushes (broadcasts to channels are listed apart), whether or not the answer was sent. */
  accepted: number;
  /** Accepted pushes whose push token had received the notification before. */
  duplicates: number;
  /**
   * Answers other than 200 or 201, by the gateway's reason; and as `UnreadableBody` the accepted pushes to browsers whose body
   * does not decrypt.
   */
  errors: Record<string, number>;
}
export type Counts = Record<CountedGateway, GatewayCounts>;

export interface ReceivedQuery {
  token?: string | undefined;
  gateway?: PushGateway | undefined;
  nid?: string | undefined;
}

/** How many pushes are kept. `counts`: only the counts are kept, for audiences of hundreds of thousands. */
export type Keep = number | 'counts';

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger(keep: Keep) {
  const keepMax = keep === 'counts' ? 0 : keep;
  let counts = noCounts();
  let byNotification = new Map<string, Map<string, number>>();
  let kept: ReceivedPush[] = [];
  let next = 0;

  const tally = (gateway: PushGateway, token: string, nid: string): void => {
    let pushes = byNotification.get(nid);
    if (pushes === undefined) byNotification.set(nid, (pushes = new Map()));
    const before = pushes.get(token) ?? 0;
    if (before > 0) counts[gateway].duplicates += 1;
    // A copy: a substring of a request keeps the whole request in memory.
    pushes.set(before === 0 ? Buffer.from(token).toString() : token, before + 1);
  };

  return {
    /** `requestNumber`: the number of the request on its connection, from 1. */
    asked: (gateway: CountedGateway, requestNumber: number): void => {
      counts[gateway].requests += 1;
      if (requestNumber === 1) counts[gateway].connections += 1;
    },
    refused: (gateway: CountedGateway, reason: string): void => {
      const { errors } = counts[gateway];
      errors[reason] = (errors[reason] ?? 0) + 1;
    },
    /** A request that is no push: for an access token, or for the management of channels. */
    accepted: (gateway: 'oauth' | 'apns_channels'): void => {
      counts[gateway].accepted += 1;
    },
    /** `push` is called only if the push is kept. */
    took: (gateway: PushGateway, token: string, nid: string | null, push: () => ReceivedPush): void => {
      counts[gateway].accepted += 1;
      if (nid !== null) tally(gateway, token, nid);
      if (keepMax === 0) return;
      kept[next] = push(); // a ring buffer: replaces the oldest
      next = (next + 1) % keepMax;
    },
    /** The kept pushes, oldest first. */
    received: ({ token, gateway, nid }: ReceivedQuery): ReceivedPush[] =>
      [...kept.slice(next), ...kept.slice(0, next)].filter(
        (push) =>
          (token === undefined || push.token === token) &&
          (gateway === undefined || push.gateway === gateway) &&
          (nid === undefined || push.nid === nid),
      ),
    /** How often each push token received the notification. */
    pushesByToken: (nid: string): ReadonlyMap<string, number> =>
      byNotification.get(nid) ?? new Map<string, number>(),
    counts: (): Counts => structuredClone(counts),
    reset: (): void => {
      counts = noCounts();
      byNotification = new Map();
      kept = [];
      next = 0;
    },
  };
}

function noCounts(): Counts {
  return {
    apns: noGatewayCounts(),
    fcm: noGatewayCounts(),
    web_push: noGatewayCounts(),
    apns_channels: noGatewayCounts(),
    oauth: noGatewayCounts(),
  };
}

function noGatewayCounts(): GatewayCounts {
  return { connections: 0, requests: 0, accepted: 0, duplicates: 0, errors: {} };
}

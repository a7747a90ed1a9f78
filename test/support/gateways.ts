/** Gateways without a network: what becomes of a push is for the test to say. */
import { setImmediate as turn } from 'node:timers/promises';
import type { OpenGateway } from '../../src/delivery/send/open-gateways.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { RouteAnswers } from '../../src/delivery/routes/route-answers.ts';
import { RouteState, type RouteStore } from '../../src/delivery/routes/route-state.ts';
import { observeNothing } from '../../src/observe.ts';
import { openPauses, type Pace } from '../../src/delivery/send/pace.ts';
import type { Gateway, Recipient, SendMessage, Verdict } from '../../src/gateways/gateway.ts';
import type { Route } from '../../src/route.ts';

interface FakeGateway extends OpenGateway {
  /** The devices that were pushed to, in order. */
  readonly sent: readonly string[];
}

interface FakeGatewayOptions {
  /** Whether it has accepted a push before; by default the first push is sent alone. */
  credentialsAccepted?: boolean;
  /** By default it has no quota and pauses only when asked to. */
  pace?: Pace;
  /** @param sent the number of pushes so far */
  whenReady?: (sent: number) => ReturnType<Gateway['whenReady']>;
  /** Default: a new route without a history. */
  state?: RouteState;
  /** Called before a push leaves. */
  onCompile?: (isWanted: () => boolean) => void;
  /** When all pushes have been sent; by default at once. */
  whenSent?: Gateway['whenSent'];
}

/**
 * An open gateway that gives the given answers, and by default always takes more.
 * @param answer `call`: which push of this gateway it is, from 1
 */
export function fakeGateway(
  route: Route,
  answer: (recipient: Recipient, call: number) => Verdict | Promise<Verdict>,
  {
    credentialsAccepted = false,
    pace = openPauses(() => new Date()),
    whenReady = () => undefined,
    whenSent = async () => undefined,
    onCompile = () => undefined,
    state = ownRouteState(route),
  }: FakeGatewayOptions = {},
): FakeGateway {
  const sent: string[] = [];
  const gateway: Gateway = {
    route,
    compile: (_message, isWanted) => {
      onCompile(isWanted);
      return async (recipient, _own, beforeReading) => {
        sent.push(recipient.deviceId);
        const verdict = await answer(recipient, sent.length);
        if (verdict.kind !== 'accepted') await beforeReading?.();
        return verdict;
      };
    },
    whenReady: () => whenReady(sent.length),
    whenSent,
    close: async () => undefined,
  };
  return {
    gateway,
    version: 'v1',
    credentialsAccepted,
    pace,
    answers: new RouteAnswers(Date.now),
    state,
    followers: new Set(),
    sent,
  };
}

/** Sends a push whose refusal is held back when it comes. @returns the verdict, and whether there was one before it was let go */
export async function sendHeldBack(send: SendMessage, recipient: Recipient) {
  const answered = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const pending = send(recipient, undefined, async () => {
    answered.resolve();
    await letGo.promise;
  });
  await answered.promise;
  const isRead = (await Promise.race([pending, turn()])) !== undefined;
  letGo.resolve();
  return { verdict: await pending, isReadBefore: isRead };
}

/** Of a process that is alone. */
function ownRouteState(route: Route, clock: Clock = systemClock): RouteState {
  let nextProbeMs = 0;
  const store: RouteStore = {
    prove: async () => undefined,
    pause: async () => 'paused',
    takeProbe: async () => (nextProbeMs = Math.max(nextProbeMs, clock().getTime()) + 10_000),
    endPause: async () => true,
  };
  return new RouteState({ route, store, clock, observe: observeNothing });
}

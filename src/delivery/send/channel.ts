/** A route with the message of one slice compiled for it. */
import type { Gateway, PushMessage } from '../../gateways/gateway.ts';
import type { OfNotification } from '../../observe.ts';
import type { OpenGateway } from './open-gateways.ts';
import type { TokenGuard } from '../routes/token-guard.ts';

export interface Channel {
  readonly entry: OpenGateway;
  readonly send: ReturnType<Gateway['compile']>;
  /** Of the notification, for all its slices in this process. */
  readonly guard: TokenGuard;
  /** A push is being tried though the route is paused. */
  isProbing: boolean;
}

/** @param isWanted whether a push of this slice may leave, as far as the route does not matter */
export function openChannel(
  entry: OpenGateway,
  message: PushMessage,
  of: OfNotification,
  isWanted: () => boolean,
): Channel {
  const { gateway, state } = entry;
  const mayLeave = (): boolean => isWanted() && (state.pause === undefined || channel.isProbing);
  const send = gateway.compile(message, mayLeave);
  const channel: Channel = { entry, send, guard: state.guardOf(of), isProbing: false };
  return channel;
}

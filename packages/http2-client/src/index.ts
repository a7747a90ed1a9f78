/** All exports of the package; see README.md. */
export type { Answer, Answered, AnswerHeaders, Unanswered } from './answer.ts';
export type { Http2Request } from './outgoing.ts';
export { type Http2Pool, openHttp2Pool } from './pool.ts';
export type { Http2PoolOptions, PoolEvent, PoolLimits, Reserved } from './pool-options.ts';
export { trustAlso, type Tunnel } from './socket.ts';
export {
  describeFailure,
  isTransportReason,
  type TransportFailure,
  type TransportReason,
} from './transport-reason.ts';

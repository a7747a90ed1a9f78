/** Constants of HTTP/2 (RFC 9113, sections 6 and 7). */

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = {
  /** On DATA and HEADERS. */
  endStream: 0x1,
  /** On SETTINGS and PING. */
  ack: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

export const errorCode = {
  noError: 0,
  protocolError: 1,
  flowControlError: 3,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

export const FRAME_HEADER_BYTES = 9;
/** The largest value that SETTINGS_MAX_FRAME_SIZE may have. */
export const FRAME_BYTES_LIMIT = 2 ** 24 - 1;
/** The largest payload that either side may send by default. */
export const FRAME_BYTES_MAX = 16_384;
/** Body bytes that either side may send by default, per stream and per connection. */
export const WINDOW_BYTES = 65_535;
/** The largest window, and the largest stream id. */
export const INT31_MAX = 2 ** 31 - 1;

/** Names of error codes, by their number (RFC 9113, section 7). */
const ERROR_NAMES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

export function errorName(code: number): string {
  return ERROR_NAMES[code] ?? `error code ${code}`;
}

/** The peer has broken a rule of HTTP/2; the connection ends with this code. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The peer speaks another protocol. */
export class NotHttp2Error extends ProtocolError {
  constructor() {
    super(errorCode.protocolError, 'the first frame is not SETTINGS');
  }
}

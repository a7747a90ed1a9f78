/**
 * A peer over plain TCP that a test scripts frame by frame. It records which requests it has received completely, as the
 * truth that the client's results are compared with.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { HpackDecoder } from '../src/hpack/hpack-decoder.ts';
import { portOf } from './peer.ts';

const PREFACE_BYTES = 24;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

export interface HeardRequest {
  readonly streamId: number;
  readonly path: string;
  /** Its END_STREAM has arrived. */
  isWhole: boolean;
}

export interface RawConnection {
  readonly socket: Socket;
  readonly requests: ReadonlyMap<number, HeardRequest>;
  /** All frames that the client has sent, in order. */
  readonly heard: readonly Frame[];
  readonly say: (...frames: readonly Buffer[]) => void;
}

export interface RawPeer {
  readonly origin: string;
  /** All connections so far. */
  readonly connections: readonly RawConnection[];
  close(): Promise<void>;
}

export interface RawPeerScript {
  /** The bytes after the client's preface; by default empty SETTINGS. */
  greeting?: Buffer | (() => Buffer);
  /** Whether to answer a PING; true by default. */
  answersPings?: (connection: RawConnection) => boolean;
  /** Called for every request when its headers have arrived. */
  onHeaders?: (request: HeardRequest, connection: RawConnection) => void;
  /** Called for every request when it has arrived completely. */
  onRequest?: (request: HeardRequest, connection: RawConnection) => void;
}

export async function openRawPeer(script: RawPeerScript): Promise<RawPeer> {
  const connections: RawConnection[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setNoDelay(true);
    connections.push(serve(socket, script));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${portOf(server)}`,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { socket } of connections) socket.destroy();
      }),
  };
}

function serve(socket: Socket, script: RawPeerScript): RawConnection {
  const requests = new Map<number, HeardRequest>();
  const heard: Frame[] = [];
  const decoder = new HpackDecoder();
  const connection: RawConnection = {
    socket,
    requests,
    heard,
    say: (...frames) => {
      if (socket.writable) socket.write(Buffer.concat(frames));
    },
  };
  let rest = Buffer.alloc(0);
  let isGreeted = false;
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    if (!isGreeted) {
      if (rest.length < PREFACE_BYTES) return;
      rest = rest.subarray(PREFACE_BYTES);
      isGreeted = true;
      const { greeting = settings() } = script;
      connection.say(typeof greeting === 'function' ? greeting() : greeting);
    }
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3);
      onFrame({
        type: rest.readUInt8(3),
        flags: rest.readUInt8(4),
        streamId: rest.readUInt32BE(5),
        payload: Buffer.from(rest.subarray(9, end)),
      });
      rest = rest.subarray(end);
    }
  });

  function onFrame(received: Frame): void {
    const { type, flags, streamId, payload } = received;
    heard.push(received);
    if (type === 6 && (flags & 1) === 0 && (script.answersPings?.(connection) ?? true)) {
      connection.say(frame(6, 1, 0, payload));
    }
    if (type === 1) {
      const { fields } = decoder.decode(payload, 0, payload.length);
      const begun = { streamId, path: fields[fields.indexOf(':path') + 1] ?? '', isWhole: false };
      requests.set(streamId, begun);
      script.onHeaders?.(begun, connection);
    }
    const request = requests.get(streamId);
    if ((type === 0 || type === 1) && (flags & 1) !== 0 && request !== undefined) {
      request.isWhole = true;
      script.onRequest?.(request, connection);
    }
  }

  return connection;
}

export function frame(type: number, flags: number, streamId: number, payload: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(payload);
  const header = Buffer.alloc(9);
  header.writeUIntBE(bytes.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, bytes]);
}

/** A SETTINGS frame with these ids and values. */
export function settings(...entries: readonly (readonly [number, number])[]): Buffer {
  return frame(
    4,
    0,
    0,
    Buffer.concat(
      entries.map(([name, value]) => {
        const bytes = Buffer.alloc(6);
        bytes.writeUInt16BE(name);
        bytes.writeUInt32BE(value, 2);
        return bytes;
      }),
    ),
  );
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** Headers as literals without indexing. @param fields flat names and values of at most 126 bytes */
export function headerBlock(...fields: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [name, value] = [fields[at] ?? '', fields[at + 1] ?? ''].map((text) => Buffer.from(text, 'latin1'));
    if (name === undefined || value === undefined) continue;
    parts.push(Buffer.from([0, name.length]), name, Buffer.from([value.length]), value);
  }
  return Buffer.concat(parts);
}

/** The headers of an answer; they end the stream unless a body follows. */
export function answerHead(
  streamId: number,
  status: number | string,
  isEnd = true,
  ...more: string[]
): Buffer {
  return frame(1, isEnd ? 5 : 4, streamId, headerBlock(':status', String(status), ...more));
}

export function reset(streamId: number, code: number): Buffer {
  return frame(3, 0, streamId, uint32(code));
}

export function goaway(lastStreamId: number, code: number): Buffer {
  return frame(7, 0, 0, uint32(lastStreamId, code));
}

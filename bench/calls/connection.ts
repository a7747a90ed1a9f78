/**
 * A keep-alive HTTP/1.1 connection for one request at a time. It does as little as possible per answer, because the
 * caller shares the cores with the server that it measures: one read buffer for all connections, no strings, no headers
 * but the length.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface Connection {
  /** Call it only when the previous request has been answered. */
  send(request: string): void;
  close(): void;
}

/** @param answer its bytes, valid during this call only */
export type OnAnswer = (answer: Buffer, bodyStart: number) => void;

const READ_BYTES = 64 * 1024;
/** Node fills it and calls back before it reads from another connection. */
const incoming = Buffer.allocUnsafe(READ_BYTES);
const LENGTH = Buffer.from('\r\ncontent-length: ');
const HEAD_END = Buffer.from('\r\n\r\n');
const ZERO = 0x30;
const NINE = 0x39;

/** An answer that is not HTTP, has no length or was not asked for is thrown in a callback and ends the process. */
export async function openConnection(url: URL, onAnswer: OnAnswer): Promise<Connection> {
  let rest: Buffer | undefined;
  const read = (count: number): boolean => {
    const news = incoming.subarray(0, count);
    const answer = rest === undefined ? news : Buffer.concat([rest, news]);
    const bodyStart = completeBody(answer);
    if (bodyStart === undefined) {
      rest = Buffer.from(answer);
    } else {
      rest = undefined;
      onAnswer(answer, bodyStart);
    }
    return true;
  };
  const address = { host: url.hostname, port: Number(url.port), noDelay: true };
  const socket = connect({ ...address, onread: { buffer: incoming, callback: read } });
  await once(socket, 'connect');
  let isClosing = false;
  socket.on('close', () => {
    if (!isClosing) throw new Error('the server has closed a connection');
  });
  return {
    send: (request) => void socket.write(request, 'latin1'),
    close: () => {
      isClosing = true;
      socket.destroy();
    },
  };
}

/** @returns the status of an answer, e.g. 200 */
export function statusOf(answer: Buffer): number {
  return numberAt(answer, 'HTTP/1.1 '.length);
}

/** @returns where the body begins; undefined while the answer is incomplete */
function completeBody(answer: Buffer): number | undefined {
  const lengthAt = answer.indexOf(LENGTH);
  const headEnd = answer.indexOf(HEAD_END, Math.max(lengthAt, 0));
  if (headEnd === -1) return undefined;
  if (lengthAt === -1)
    throw new Error(`an answer without a length: ${answer.toString('latin1', 0, headEnd)}`);
  const bodyStart = headEnd + HEAD_END.length;
  const end = bodyStart + numberAt(answer, lengthAt + LENGTH.length);
  if (answer.length > end) throw new Error('more bytes than one answer');
  return answer.length === end ? bodyStart : undefined;
}

function numberAt(bytes: Buffer, start: number): number {
  let number = 0;
  for (let at = start; at < bytes.length; at++) {
    const digit = bytes.readUInt8(at);
    if (digit < ZERO || digit > NINE) break;
    number = number * 10 + digit - ZERO;
  }
  return number;
}

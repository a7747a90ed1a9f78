/** Replies that are sent while they are made: the text of an export, and server-sent events (WHATWG HTML, "Server-sent events"). */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GUARDS } from './connection.ts';

/**
 * Sends chunks as the caller reads them: the next one is made only when there is room for it. Making them ends when the
 * caller disconnects. If it fails halfway, the connection is cut, so that a caller never takes a part for the whole.
 * @param fileName what a browser calls the download
 */
export function sendText(
  reply: FastifyReply,
  { mediaType, fileName }: { mediaType: string; fileName: string },
  chunks: AsyncIterable<string>,
): FastifyReply {
  return reply
    .type(mediaType)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(Readable.from(chunks, { objectMode: false }));
}

interface StreamOptions {
  /** Called once, when either side has ended the reply. */
  onClose: () => void;
  /** Called before each heartbeat; the stream ends if it returns false. Must not throw. */
  mayGoOn: () => Promise<boolean>;
  heartbeatMs: number;
}

/** A client that has lost the stream asks again after this time. */
const RETRY_MS = 3_000;

const sinceStart = new WeakMap<FastifyRequest, number>();

/** How long the caller waited for the beginning of its stream (ms); undefined if the reply is not a stream. */
export function streamOpenedAfterMs(request: FastifyRequest): number | undefined {
  return sinceStart.get(request);
}

/** Sends the head of the reply; from then on, an error can only end the stream. */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { onClose, mayGoOn, heartbeatMs }: StreamOptions,
) {
  sinceStart.set(request, reply.elapsedTime);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    ...GUARDS,
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no', // nginx would collect the events
    'x-request-id': request.id,
  });
  raw.write(`retry: ${RETRY_MS}\n\n`);
  let isOver = false;
  const close = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(heartbeat);
    onClose();
    raw.end();
  };
  const beat = async (): Promise<void> => {
    const may = await mayGoOn();
    if (isOver) return;
    if (!may) close();
    else if (!raw.writableNeedDrain) raw.write(': still here\n\n');
  };
  const heartbeat = setInterval(() => void beat(), heartbeatMs);
  raw.on('close', close);
  raw.on('error', close);
  if (raw.destroyed) close(); // the client has gone before the reply began
  return {
    /** Sends an event, unless the client reads so slowly that earlier ones have not left yet. @param data without line breaks */
    send: (name: string, data: string) => {
      if (!isOver && !raw.writableNeedDrain) raw.write(textOf(name, data));
    },
    /** Sends a last event, and ends the reply. */
    end: (name: string, data: string) => {
      if (!isOver) raw.write(textOf(name, data));
      close();
    },
    close,
  };
}

function textOf(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

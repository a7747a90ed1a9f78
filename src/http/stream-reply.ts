/** Sends a long text that is made while it is sent: an export. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

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

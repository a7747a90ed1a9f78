import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** Length and type before the data of a chunk, checksum after it. */
const CHUNK_HEAD_BYTES = 8;
const CHUNK_END_BYTES = 4;

/**
 * Compresses the pixels of a PNG again as well as zlib can, because browsers compress screenshots quickly and not well.
 */
export function compressPng(png: Buffer): Buffer {
  const before: Buffer[] = [png.subarray(0, SIGNATURE_BYTES)];
  const pixels: Buffer[] = [];
  const after: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    const end = at + CHUNK_HEAD_BYTES + length + CHUNK_END_BYTES;
    const type = png.toString('latin1', at + 4, at + CHUNK_HEAD_BYTES);
    if (type === 'IDAT') pixels.push(png.subarray(at + CHUNK_HEAD_BYTES, end - CHUNK_END_BYTES));
    else (pixels.length === 0 ? before : after).push(png.subarray(at, end));
    at = end;
  }
  const data = deflateSync(inflateSync(Buffer.concat(pixels)), { level: 9, memLevel: 9 });
  return Buffer.concat([...before, chunkOf('IDAT', data), ...after]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(CHUNK_HEAD_BYTES + data.length + CHUNK_END_BYTES);
  chunk.writeUInt32BE(data.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), chunk.length - CHUNK_END_BYTES);
  return chunk;
}

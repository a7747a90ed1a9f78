/** The file in which the caller's process records its calls: first the time of each call, then the id in each answer. */
import { readFile, writeFile } from 'node:fs/promises';

/** The length of a UUID as text. */
export const ID_BYTES = 36;
const TIME_BYTES = Float64Array.BYTES_PER_ELEMENT;

export interface CallRecord {
  /** Unix milliseconds: when the call was written, or when it should have been, at a fixed rate. */
  atMs: number;
  /** The id of what the call has created. */
  id: string;
}

/** @param ids `ID_BYTES` for each call; zeros for a refused call, which is not read back */
export async function writeRecords(file: string, timesMs: Float64Array, ids: Buffer): Promise<void> {
  await writeFile(file, [new Uint8Array(timesMs.buffer, timesMs.byteOffset, timesMs.byteLength), ids]);
}

/** @returns the calls that were not refused */
export async function readRecords(file: string): Promise<CallRecord[]> {
  const bytes = await readFile(file);
  const count = bytes.length / (TIME_BYTES + ID_BYTES);
  const records: CallRecord[] = [];
  for (let number = 0; number < count; number++) {
    const start = count * TIME_BYTES + number * ID_BYTES;
    if (bytes[start] === 0) continue;
    const id = bytes.toString('latin1', start, start + ID_BYTES);
    records.push({ id, atMs: bytes.readDoubleLE(number * TIME_BYTES) });
  }
  return records;
}

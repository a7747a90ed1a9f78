/** The code of a thread that derives keying material. `derivers.ts` starts it. */
import { parentPort } from 'node:worker_threads';
import type { Ask, Derived } from './derivers.ts';
import { deriveMaterial, type KeyPair, keyPair, MATERIAL_BYTES } from './keying-material.ts';

const port = parentPort;
if (port === null)
  throw new Error('derive-thread.ts cannot be run directly: derivers.ts starts it as a thread');
let pair: KeyPair | undefined;

port.on('message', ({ privateKey, keys }: Ask) => {
  if (privateKey !== undefined || pair === undefined) pair = keyPair(privateKey);
  const materials = new Uint8Array(keys.length * MATERIAL_BYTES);
  const failed: number[] = [];
  for (const [index, each] of keys.entries()) {
    try {
      materials.set(deriveMaterial(pair, each), index * MATERIAL_BYTES);
    } catch {
      failed.push(index);
    }
  }
  port.postMessage({ materials, failed } satisfies Derived, [materials.buffer]);
});

/** The thread that draws the outlines: a second of work, during which the first thread continues to answer requests. */
import { parentPort } from 'node:worker_threads';
import { drawTiles, drawWorld } from './draw-outlines.ts';

const [world, tiles] = [await drawWorld(), await drawTiles()];
parentPort?.postMessage([world, ...tiles].map((outlines) => JSON.stringify(outlines)));

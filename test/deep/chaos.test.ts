/** The most telling cells of the matrix of faults, each with another load (docs/chaos.md). */
import { faults, loads, testCells } from '../chaos/matrix.ts';

const SELECTED = [
  ['everything killed, Postgres and Redis too', 'two capped bulk sends'],
  ['away for 6 s', 'single pushes'],
  ['flushed', 'a bulk send'],
  ['a third of the streams reset', 'a Live Activity'],
] as const;

const cells = faults.flatMap((fault) =>
  loads
    .filter((load) => SELECTED.some(([struck, loaded]) => fault.name === struck && load.name === loaded))
    .map((load) => ({ fault, load })),
);
if (cells.length !== SELECTED.length) throw new Error('a selected cell is not in the matrix');

testCells('The matrix of faults', cells);

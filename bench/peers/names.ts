/** The names of the figures, by which the tables find them. */
export const PAYLOADS = [
  { payload: 'equal', different: false },
  { payload: 'different', different: true },
] as const;

/** What is measured of a peer. */
export interface Cell {
  peer: string;
  way: string;
  payload: (typeof PAYLOADS)[number]['payload'];
}

const MEASURES = {
  rate: '',
  time: ': processor time',
  memory: ': memory',
  single: ': one push, p99 during a bulk send',
};

export function figureName({ peer, way, payload }: Cell, measure: keyof typeof MEASURES): string {
  return `${peer}, ${way}, ${payload}${MEASURES[measure]}`;
}

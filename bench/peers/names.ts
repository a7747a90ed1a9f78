/** The names of Carillon among the peers, and of the figures, by which the tables find them. */
export const PAYLOADS = [
  { payload: 'equal', different: false },
  { payload: 'different', different: true },
] as const;

/** Carillon among its peers: its gateways as a library, and its server by how it is deployed. */
export function ownLibrary(gateway: string): string {
  return gateway === 'Apple' ? 'Carillon, no database' : `Carillon, no database: ${gateway}`;
}

export function ownServer({ name }: { name: string }): string {
  return `Carillon, ${name}`;
}

export function isOwn(peer: string): boolean {
  return peer.startsWith('Carillon, ');
}

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

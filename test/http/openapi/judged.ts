/** A body as the server and the document judge it. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { parseJson } from '../../../src/json/lossless.ts';
import { parseRequest } from '../../../src/notifications/request.ts';
import { faultsBy } from './document.ts';
import { runs } from '../../support/runs.ts';

/** Of each property. */
export const RUNS = runs(500);
const NOW = new Date('2026-11-24T12:00:00Z');

export function areFiltersDocumented(filters: unknown): boolean {
  const sent: unknown = JSON.parse(JSON.stringify({ filters })); // with exact numbers as anybody reads them
  return faultsBy({ $ref: '#/components/schemas/CountAudience' }, sent).length === 0;
}

/** @returns what the server throws; undefined if it accepts the notification */
export function refusalOf(notification: unknown): unknown {
  try {
    parseRequest(parseJson(JSON.stringify({ notification })), NOW);
    return undefined;
  } catch (error) {
    return error;
  }
}

export function documentedFaults(notification: unknown): string[] {
  const sent: unknown = JSON.parse(JSON.stringify({ notification }));
  return faultsBy({ $ref: '#/components/schemas/CreateNotification' }, sent);
}

/**
 * Expects that bodies are accepted by both or refused by both.
 * @returns how many both accept, which shows that the property is not met by refusing everything
 */
export function countAccepted(
  bodies: fc.Arbitrary<unknown>,
  accepts: (body: unknown) => boolean,
  faultsOf: (body: unknown) => string[],
): number {
  let accepted = 0;
  fc.assert(
    fc.property(bodies, (body) => {
      const isValid = accepts(body);
      if (isValid) accepted++;
      const faults = faultsOf(body);
      if (isValid) expect(faults).toEqual([]);
      else expect(faults).not.toEqual([]);
    }),
    { numRuns: RUNS },
  );
  return accepted;
}

/** @param parse throws where it refuses the body */
export function isAcceptedBy(parse: (body: unknown) => unknown, body: unknown): boolean {
  try {
    parse(parseJson(JSON.stringify(body)));
    return true;
  } catch {
    return false;
  }
}

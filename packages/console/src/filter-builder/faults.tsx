/** The faults that the API has found in filters, by their position, and what every editor of criteria gets. */

export interface Fault {
  /** Relative to the list: `[0].criteria[1].gte`. */
  path: string;
  message: string;
}

export interface CriteriaProps {
  name: string;
  criteria: readonly unknown[];
  faults: readonly Fault[];
  onChange: (criteria: readonly unknown[]) => void;
}

/** @returns the faults at a path or below it, with paths relative to it */
export function faultsBelow(faults: readonly Fault[], prefix: string): readonly Fault[] {
  return faults
    .filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`))
    .map(({ path, message }) => ({ path: path.slice(prefix.length).replace(/^\./, ''), message }));
}

export function FaultLines({ faults }: { faults: readonly Fault[] }) {
  return faults.map(({ path, message }) => (
    <p class="fault" key={path}>
      {message}
    </p>
  ));
}

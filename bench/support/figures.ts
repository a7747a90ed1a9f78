/**
 * The measurements of a scenario: a figure per case, a sample per round. A figure compared with another has a ratio per
 * round, so that a temporary slowdown of the machine affects both.
 */
import { median } from './statistics.ts';

export type Unit =
  | 'pushes/s'
  | 'devices/s'
  | 'requests/s'
  | 'commits/s'
  | 'pushes'
  | 'rows'
  | 's'
  | 'ms'
  | 'µs'
  | 'B'
  | 'MiB'
  | 'cores'
  | 'times';

export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Figure {
  name: string;
  unit: Unit;
  spread: Spread;
  samples: readonly number[];
  /** This figure as a multiple of others, round by round. */
  against: { name: string; ratio: Spread }[];
}

export interface Figures {
  /** Adds the sample of this round. @param against the names of the figures that it is compared with */
  add(name: string, value: number, unit: Unit, against?: readonly string[]): void;
  /** Adds a remark for the reader, such as "the sender lost 12 pushes"; each only once. */
  note(text: string): void;
  results(): { figures: Figure[]; notes: string[] };
}

interface Series {
  unit: Unit;
  samples: number[];
  against: readonly string[];
}

export function openFigures(): Figures {
  const series = new Map<string, Series>();
  const notes = new Set<string>();

  const ratios = (name: string, { samples }: Series): Figure['against'][number] => {
    const baseline = series.get(name)?.samples ?? [];
    return {
      name,
      ratio: spreadOf(samples.map((sample, round) => sample / (baseline[round] ?? Number.NaN))),
    };
  };

  return {
    add: (name, value, unit, against = []) => {
      const known = series.get(name) ?? { unit, samples: [], against };
      known.samples.push(value);
      series.set(name, known);
    },
    note: (text) => {
      notes.add(text);
    },
    results: () => ({
      figures: [...series].map(([name, entry]) => ({
        name,
        unit: entry.unit,
        spread: spreadOf(entry.samples),
        samples: entry.samples,
        against: entry.against.map((baseline) => ratios(baseline, entry)),
      })),
      notes: [...notes],
    }),
  };
}

function spreadOf(samples: readonly number[]): Spread {
  return { min: Math.min(...samples), median: median(samples), max: Math.max(...samples) };
}

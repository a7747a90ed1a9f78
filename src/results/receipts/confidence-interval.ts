/** The share of a population, estimated from a random sample, with its sampling error; and the difference of two shares. */

export interface Estimate {
  /** 0 to 1. */
  share: number;
  /** The ends of the 95% confidence interval. */
  low: number;
  high: number;
}

/** 95% of a normal distribution are within this number of standard deviations. */
const Z = 1.959964;

/**
 * Indexed by the number of intervals, from 1: the standard deviations with which all intervals hold at once with 95%
 * (Bonferroni).
 */
const Z_TOGETHER = [Z, 2.241403, 2.39398, 2.497705, 2.575829, 2.638257, 2.69011];

/** @param comparisons 1 to 7 */
export function confidenceZ(comparisons: number): number {
  return Z_TOGETHER[comparisons - 1] ?? Math.max(...Z_TOGETHER);
}

/**
 * Wilson's score interval. A sample without replacement errs less, the more of the population it covers: it errs like
 * one of n·(N−1)/(N−n) from an infinite population, and not at all if everyone was asked.
 * @param found how many of the sample have the property
 * @param asked the size of the sample (n), at least 1
 * @param population how many there are in all (N)
 */
export function estimate(found: number, asked: number, population: number): Estimate {
  const share = found / asked;
  if (asked >= population) return { share, low: share, high: share };
  return interval(share, (asked * (population - 1)) / (population - asked), Z);
}

/**
 * Wilson's interval for an infinite population: for the rate in the long run. Its error is not 0 even if everyone was
 * asked.
 */
export function wilson(found: number, asked: number, z = Z): Estimate {
  return interval(found / asked, asked, z);
}

/** A sample of `of` devices, at least 1; `devices` of them have the property. */
interface Sample {
  devices: number;
  of: number;
}

/**
 * The difference of two shares, with Newcombe's interval (his method 10), which is made of Wilson's.
 * @returns numbers from -1 to 1
 */
export function difference(one: Sample, other: Sample, z = Z): Estimate {
  const [a, b] = [wilson(one.devices, one.of, z), wilson(other.devices, other.of, z)];
  const share = a.share - b.share;
  return {
    share,
    low: share - Math.hypot(a.share - a.low, b.high - b.share),
    high: share + Math.hypot(a.high - a.share, b.share - b.low),
  };
}

function interval(share: number, n: number, z: number): Estimate {
  const middle = (share + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2));
  return {
    share,
    low: Math.min(share, Math.max(0, middle - half)),
    high: Math.max(share, Math.min(1, middle + half)),
  };
}

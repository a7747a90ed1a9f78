/** The result of one check, printed as one line. No finding contains any part of a key or of a password. */
export interface Finding {
  /** The thing checked: `postgres`, `apns production`, `com.example.app: Apple key ABC123DEFG`. */
  check: string;
  level: 'ok' | 'warning' | 'fault';
  message: string;
  /** Tells people what to do about it. */
  advice?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, level: 'warning', message, advice };
}

export function fault(check: string, message: string, advice: string): Finding {
  return { check, level: 'fault', message, advice };
}

/** Limits the time of a whole check. */
export async function withinTime(
  check: string,
  timeoutMs: number,
  find: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const { promise: late, resolve } = Promise.withResolvers<Finding[]>();
  const seconds = timeoutMs / 1_000;
  const timer = setTimeout(
    () => resolve([fault(check, `no answer within ${seconds} s`, 'check whether it is overloaded or hangs')]),
    timeoutMs,
  );
  try {
    return await Promise.race([find(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The difference of two clocks, in words; clocks within a second agree. */
export function clockWords(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 100) / 10;
  if (seconds <= 1) return 'the clocks agree';
  return `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}

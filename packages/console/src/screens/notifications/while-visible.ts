import { useEffect, useRef } from 'preact/hooks';

/** Calls `run` at an interval while the page is visible, and not at once. An interval of undefined: never. */
export function useWhileVisible(everyMs: number | undefined, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

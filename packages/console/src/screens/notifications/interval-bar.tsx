import type { Content } from '../../kit/content.ts';
import { formatComparedShare } from '../../kit/format.ts';

/**
 * A share in words, and as a bar from 0 to the lower end of its interval, continued to the upper end.
 * @param props.interval null if the share is no estimate
 * @param props.highest the share that takes the whole length
 */
export function IntervalBar(props: {
  share: number;
  interval: { low: number; high: number } | null;
  highest?: number;
  children?: Content;
}): Content {
  const { share, interval, highest = 1, children } = props;
  const { low, high } = interval ?? { low: share, high: share };
  const length = (of: number): string => `${highest === 0 ? 0 : (100 * of) / highest}%`;
  return (
    <div class="notifications-rate">
      <span>
        <strong>{formatComparedShare(share)}</strong> {children}
      </span>
      <span class="notifications-interval" aria-hidden="true">
        <span style={{ inlineSize: length(low) }} />
        <span style={{ inlineSize: length(high - low) }} />
      </span>
      {interval !== null && (
        <span class="muted">
          {formatComparedShare(low)} to {formatComparedShare(high)}
        </span>
      )}
    </div>
  );
}

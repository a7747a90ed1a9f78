/** The outcomes of a notification's pushes, as one bar. */
import { formatNumber, formatShare } from './format.ts';

/** In the order of the bar. `design.css` has a colour for each. */
export const outcomeLabels = {
  accepted: 'Accepted',
  pending: 'Pending',
  not_sent: 'Not sent',
  ambiguous: 'Ambiguous',
  no_token: 'No token',
  unregistered: 'Unregistered',
  dropped: 'Dropped',
  expired: 'Expired',
  capped: 'Capped',
  left_out: 'Left out',
  rejected: 'Rejected',
} as const;

export type Outcome = keyof typeof outcomeLabels;
export const outcomes = Object.keys(outcomeLabels).filter((name): name is Outcome => name in outcomeLabels);

export type OutcomeCounts = Readonly<Partial<Record<Outcome, number>>>;

/** @param props.legend whether the numbers are written below the bar; otherwise, pointing at the bar shows them */
export function OutcomeBar({ counts, legend = false }: { counts: OutcomeCounts; legend?: boolean }) {
  const present = outcomes.flatMap((outcome) => {
    const count = counts[outcome] ?? 0;
    return count > 0 ? [{ outcome, count }] : [];
  });
  const total = present.reduce((sum, { count }) => sum + count, 0);
  const all = present.map(({ outcome, count }) => `${formatNumber(count)} ${outcomeLabels[outcome].toLowerCase()}`);
  const words = all.join(', ') || 'no devices';
  return (
    <div class="stack close">
      <div class="bar" role="img" aria-label={words} title={words}>
        {present.map(({ outcome, count }) => (
          <span key={outcome} style={{ flexGrow: count / total, background: `var(--outcome-${outcome})` }} />
        ))}
      </div>
      {legend && (
        <ul class="legend">
          {present.map(({ outcome, count }) => (
            <li key={outcome}>
              <Swatch outcome={outcome} />
              <strong>{formatNumber(count)}</strong>
              <span class="muted">{formatShare(count, total)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The colour of an outcome, and its word. */
export function Swatch({ outcome }: { outcome: Outcome }) {
  return (
    <span class="outcome">
      <span class="swatch" style={{ background: `var(--outcome-${outcome})` }} aria-hidden="true" />
      {outcomeLabels[outcome]}
    </span>
  );
}

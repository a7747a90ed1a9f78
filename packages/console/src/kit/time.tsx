import { formatAgo, formatTime, zoneName } from './format.ts';

/** A moment in the reader's zone, which is named unless it is `bare`. Pointing at it shows how long ago it was, and UTC. */
export function Time({ at, bare = false }: { at: string | number; bare?: boolean }) {
  const utc = new Date(at).toISOString();
  return (
    <time datetime={utc} title={`${formatAgo(at)} · ${utc}`}>
      {formatTime(at)}
      {!bare && [' ', <span class="zone">{zoneName(at)}</span>]}
    </time>
  );
}

/** '5 minutes ago'; pointing at it shows the moment. For times whose age matters. */
export function TimeAgo({ at }: { at: string | number }) {
  return (
    <time datetime={new Date(at).toISOString()} title={`${formatTime(at)} ${zoneName(at)}`}>
      {formatAgo(at)}
    </time>
  );
}

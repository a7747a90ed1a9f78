/** Shows the payload size against each gateway's limit, for the longest version. */
import { formatNumber } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { versionsOf, versionWords } from '../../tray/versions.tsx';
import type { CompiledNotification } from '../../replies.ts';

export function Budget({ compiled }: { compiled: CompiledNotification }): Content {
  const apple = longest(compiled, 'apns');
  const google = longest(compiled, 'fcm');
  return (
    <div class="compose-budget">
      {apple !== undefined && <Meter gateway="Apple" {...apple} />}
      {google !== undefined && <Meter gateway="Google" {...google} />}
      {apple?.of !== undefined && (
        <p class="hint">
          The longest is <bdi>{apple.of}</bdi>
          {google !== undefined && apple.of !== google.of && `, for Google ${google.of}`}.
        </p>
      )}
    </div>
  );
}

interface Used {
  bytes: number;
  left: number;
  /** The longest version; undefined if there is only one. */
  of: string | undefined;
}

/** @returns undefined if the gateway gets no payload */
function longest(compiled: CompiledNotification, gateway: 'apns' | 'fcm'): Used | undefined {
  const all = versionsOf(compiled);
  let most: Used | undefined;
  for (const version of all) {
    const request = version[gateway];
    if (request === null || request.bytes <= (most?.bytes ?? -1)) continue;
    const { bytes, bytes_left: left } = request;
    most = { bytes, left, of: all.length > 1 ? versionWords(version) : undefined };
  }
  return most;
}

function Meter({ gateway, bytes, left }: Used & { gateway: string }): Content {
  const max = bytes + left;
  const words = left < 0 ? `${formatNumber(-left)} bytes too many` : `${formatNumber(left)} bytes left`;
  return (
    <div class={left < 0 ? 'compose-meter over' : 'compose-meter'}>
      <span>{gateway}</span>
      <span
        role="meter"
        aria-label={`Bytes for ${gateway}`}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(bytes, max)}
        aria-valuetext={words}>
        <span style={{ inlineSize: `${Math.min(100, (bytes / max) * 100)}%` }} />
      </span>
      <span title={`${formatNumber(bytes)} of ${formatNumber(max)} bytes`}>{words}</span>
    </div>
  );
}

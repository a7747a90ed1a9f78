/** Shows the payload size against each gateway's limit, for the longest version. */
import { formatNumber } from '../../kit/format.ts';
import type { CompiledNotification } from '../../replies.ts';
import { versionsOf, versionWords } from '../../tray/versions.tsx';

export function Budget({ compiled }: { compiled: CompiledNotification }) {
  const apple = longest(compiled, 'apns');
  const google = longest(compiled, 'fcm');
  return (
    <div class="compose-budget">
      {apple !== undefined && <Meter gateway="Apple" {...apple} />}
      {google !== undefined && <Meter gateway="Google" {...google} />}
      {apple !== undefined && compiled.versions.length > 0 && (
        <p class="hint">
          The longest is <bdi>{apple.of}</bdi>
          {google !== undefined && apple.of !== google.of && `, for Google ${google.of}`}.
        </p>
      )}
    </div>
  );
}

/** @returns undefined if the gateway gets no payload */
function longest(compiled: CompiledNotification, gateway: 'apns' | 'fcm') {
  const [most] = versionsOf(compiled)
    .flatMap((version) => {
      const request = version[gateway];
      return request === null ? [] : [{ ...request, of: versionWords(version) }];
    })
    .sort((one, other) => other.bytes - one.bytes);
  return most;
}

function Meter({ gateway, bytes, bytes_left: left }: { gateway: string; bytes: number; bytes_left: number }) {
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

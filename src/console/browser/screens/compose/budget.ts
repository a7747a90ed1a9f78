/** How much of the room for a payload is used at both gateways: by the longest of its versions. */
import { formatNumber } from '../../kit/format.ts';
import { html, type Content } from '../../kit/html.ts';
import type { CompiledPreview } from '../../tray/preview-reply.ts';
import { versionsOf, versionWords } from '../../tray/versions.ts';

export function Budget({ compiled }: { compiled: CompiledPreview }): Content {
  const { bytes_max: max } = compiled;
  const apple = longest(compiled, 'apns');
  const google = longest(compiled, 'fcm');
  return html`<div class="compose-budget">
    <${Meter} gateway="Apple" max=${max} ...${apple} />
    <${Meter} gateway="Google" max=${max} ...${google} />
    ${
      apple.of !== undefined &&
      html`<p class="hint">
        The longest
        is${' '}<bdi>${apple.of}</bdi>${apple.of !== google.of && html`, for Google <bdi>${google.of}</bdi>`}.
      </p>`
    }
  </div>`;
}

interface Used {
  bytes: number;
  left: number;
  /** The version that takes most; undefined if there is only one. */
  of: string | undefined;
}

function longest(compiled: CompiledPreview, gateway: 'apns' | 'fcm'): Used {
  const all = versionsOf(compiled);
  const most = all.reduce((found, version) =>
    version[gateway].bytes > found[gateway].bytes ? version : found,
  );
  const { bytes, bytes_left: left } = most[gateway];
  return { bytes, left, of: all.length > 1 ? versionWords(most) : undefined };
}

function Meter(props: Used & { gateway: string; max: number }): Content {
  const { gateway, max, bytes, left, of } = props;
  const isOver = left < 0;
  const words = isOver ? `${formatNumber(-left)} bytes too many` : `${formatNumber(left)} bytes left`;
  const whole = `${formatNumber(bytes)} of ${formatNumber(max)} bytes`;
  return html`<div class=${isOver ? 'compose-meter over' : 'compose-meter'}>
    <span>${gateway}</span>
    <span
      class="compose-gauge"
      role="meter"
      aria-label=${`Bytes for ${gateway}`}
      aria-valuemin="0"
      aria-valuemax=${max}
      aria-valuenow=${Math.min(bytes, max)}
      aria-valuetext=${`${whole}, ${words}${of === undefined ? '' : `, in ${of}`}`}
      ><span style=${{ inlineSize: `${Math.min(100, (bytes / max) * 100)}%` }}></span
    ></span>
    <span class="compose-left" title=${whole}>${words}</span>
  </div>`;
}

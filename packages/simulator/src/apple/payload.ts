/** Validates a payload by Apple's rules. */
import { z } from 'zod';
import type { AppleReason } from './reasons.ts';
import { readJson } from '../read-json.ts';

export interface ApplePayload {
  payload: Readonly<Record<string, unknown>>;
  aps: Readonly<Record<string, unknown>>;
  nid: string | null;
  /** Has an alert, a badge or a sound. */
  visible: boolean;
  /** Asks to wake the app. */
  wakes: boolean;
}

const payloadSchema = z.looseObject({ aps: z.record(z.string(), z.unknown()), _nid: z.unknown().optional() });

/**
 * Validates payloads and caches the last result, because all payloads of a bulk notification are identical, byte for byte. A
 * body that is not JSON or has no `aps` counts as empty, because Apple has no reason of its own for that.
 */
export function createPayloadJudge(): (
  body: Buffer,
  bytes: number,
  bytesMax: number,
) => ApplePayload | AppleReason {
  let lastBody: Buffer | undefined;
  let last: ApplePayload | AppleReason = 'PayloadEmpty';
  return (body, bytes, bytesMax) => {
    if (bytes > bytesMax) return 'PayloadTooLarge';
    if (lastBody === undefined || !lastBody.equals(body)) {
      last = judgePayload(body);
      lastBody = body;
    }
    return last;
  };
}

function judgePayload(body: Buffer): ApplePayload | AppleReason {
  const parsed = payloadSchema.safeParse(readJson(body.toString()));
  if (!parsed.success) return 'PayloadEmpty';
  const { aps, _nid: nid } = parsed.data;
  return {
    payload: parsed.data,
    aps,
    nid: typeof nid === 'string' ? nid : null,
    visible: ['alert', 'badge', 'sound'].some((key) => aps[key] !== undefined),
    wakes: aps['content-available'] === 1,
  };
}

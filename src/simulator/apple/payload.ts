/** The local Apple's judgement of a payload. */
import { z } from 'zod';
import type { AppleReason } from './reasons.ts';
import { readJson } from '../read-json.ts';

export interface ApplePayload {
  payload: Readonly<Record<string, unknown>>;
  nid: string | null;
  /** Something to see or hear: an alert, a badge, a sound. */
  visible: boolean;
  /** Asks for the app to be woken. */
  wakes: boolean;
}

const PAYLOAD_BYTES_MAX = 4096;

const payloadSchema = z.looseObject({ aps: z.record(z.string(), z.unknown()), _nid: z.unknown().optional() });

/**
 * A judge of payloads that remembers the last one: a broadcast's are all the same, byte for byte.
 * Apple has no reason of its own for a body that is not JSON or lacks `aps`: it has no payload.
 */
export function createPayloadJudge(): (body: Buffer, bytes: number) => ApplePayload | AppleReason {
  let lastBody: Buffer | undefined;
  let last: ApplePayload | AppleReason = 'PayloadEmpty';
  return (body, bytes) => {
    if (bytes > PAYLOAD_BYTES_MAX) return 'PayloadTooLarge';
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
    nid: typeof nid === 'string' ? nid : null,
    visible: ['alert', 'badge', 'sound'].some((key) => aps[key] !== undefined),
    wakes: aps['content-available'] === 1,
  };
}

/**
 * Chooses the devices that are asked to report that they received a notification. The push carries a number, the same
 * for all devices; from it and the two ids, each device computes whether it is asked (docs/decisions/0028-receipts.md).
 */
import { z } from 'zod';
import type { FaultDetail } from '../api/errors.ts';
import { isJsonObject } from '../api/parse.ts';

const sampleRule = 'must be a number above 0 and at most 1';
/** The last 8 hexadecimal digits of an id are a number below this. */
const NUMBERS = 2 ** 32;

export const receiptsField = z
  .strictObject({
    sample: z
      .number(sampleRule)
      .gt(0, sampleRule)
      .max(1, sampleRule)
      .describe('The share of the devices that are asked; all of them if left out.')
      .exactOptional(),
  })
  .meta({ id: 'ReceiptOptions' })
  .describe(
    'Asks devices to report that they received and showed the push (`POST /v6/receipts`). The push carries the number `_rcpt`.',
  );

const RECEIPT_KEY = '_rcpt';

/** @returns a fault if the payload has that key itself, while the notification asks for receipts */
export function receiptKeyFaults(
  { receipts, payload }: Record<string, unknown>,
  path: string,
): FaultDetail[] {
  if (receipts === undefined || !isJsonObject(payload) || !Object.hasOwn(payload, RECEIPT_KEY)) return [];
  return [{ path: `${path}.payload.${RECEIPT_KEY}`, message: 'is a reserved key if receipts is set' }];
}

/** The number in the push, 1 to 2^32: a device is asked if its number is below it. */
export function receiptLimit({ sample = 1 }: z.output<typeof receiptsField>): number {
  return Math.max(1, Math.round(sample * NUMBERS));
}

/** Whether the device is asked. The ends are those of the ids of the device and the notification (`idEnd`). */
export function isAsked(limit: number, deviceEnd: number, notificationEnd: number): boolean {
  return (deviceEnd ^ notificationEnd) >>> 0 < limit;
}

/** The number in the last 8 hexadecimal digits of an id. */
export function idEnd(id: string): number {
  return Number.parseInt(id.slice(-8), 16);
}

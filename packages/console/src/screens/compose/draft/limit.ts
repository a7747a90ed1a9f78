/** @returns the count and a tenth, because audiences grow until a notification is sent; at least one more */
export function proposedLimit(devices: number): number {
  return devices + Math.max(1, Math.ceil(devices / 10));
}

/** Checks that every bulk notification must pass, whatever failed in its middle. */
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { ReceivedPush, Simulator } from '@carillon/simulator';
import type { StoredDevice } from '../support/simulated-app.ts';

/**
 * Requests that one bulk thread has in flight to Apple's two hosts and to Google, where these answer at once: three times the
 * window of one host, as its test has it. Unsaved outcomes count against it.
 */
export const IN_FLIGHT_MAX = 3 * 256;

/** Counters of a notification that reached all devices. */
export function allAccepted(devices: number) {
  const none = { rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0, pending: 0 };
  return { state: 'sent', devices, accepted: devices, ...none };
}

/** The pushes that the simulator has of a notification that reached each of these devices once. */
export function onceEach(devices: readonly StoredDevice[]): Map<string, number> {
  return new Map(devices.map(({ token }) => [token, 1]));
}

/** Waits until the notification has reached that many devices. */
export async function reach(simulator: Simulator, id: string, devices: number): Promise<void> {
  await untilCounted(() => simulator.pushesByToken(id).size, devices);
}

/** Waits until so many pushes are counted, for as long as more of them come: a machine may be slow. */
export async function untilCounted(count: () => number, wanted: number): Promise<void> {
  const check = (): void => {
    if (count() < wanted) throw new Error(`${count()} of ${wanted} pushes in a minute without one more`);
  };
  for (;;) {
    const before = count();
    try {
      await vi.waitFor(check, { timeout: 60_000, interval: 5 });
      return;
    } catch (error) {
      if (count() === before) throw error;
    }
  }
}

/** Number of repeated pushes; each repeat counts. */
export function repeatsOf(simulator: Simulator, id: string): number {
  const pushes = [...simulator.pushesByToken(id).values()];
  return pushes.reduce((sum, count) => sum + count - 1, 0);
}

/** Devices without a push. */
export function missedOf(simulator: Simulator, id: string, devices: readonly StoredDevice[]): string[] {
  const reached = simulator.pushesByToken(id);
  return devices.filter(({ token }) => !reached.has(token)).map((device) => device.id);
}

/** Repeats of a notification's pushes are the same push to gateway, app and tray. */
export function expectTheSamePushes(simulator: Simulator, id: string): void {
  expectRepeatsAlike(simulator.received({ nid: id }));
}

/** @param pushes of any notifications of Carillon */
export function expectRepeatsAlike(pushes: readonly ReceivedPush[]): void {
  const repeated = Map.groupBy(pushes, ({ nid, token }) => `${nid} ${token}`);
  const different = [...repeated.values()]
    .filter((same) => same.length > 1)
    .map((same) => same.map(identityOf))
    .filter((identities) => new Set(identities).size > 1);
  expect(different).toEqual([]);
  expect(pushes.filter((push) => push.nid === null || collapseIdOf(push) !== push.nid)).toEqual([]);
}

/** The parts of a push by which a gateway, an app or a tray can recognise a repeat; not its remaining time to live. */
export function identityOf(push: ReceivedPush): string {
  const { nid, headers } = push;
  if (push.gateway === 'web_push') return JSON.stringify([nid, push.topic, push.text]);
  const withoutTtl = push.body.replace(/"ttl":"\d+s"/, '"ttl":""');
  return JSON.stringify([nid, headers['apns-id'], headers['apns-collapse-id'], withoutTtl]);
}

const webText = z.object({ notification: z.object({ tag: z.string() }) });

/** The id under which a tray replaces the push by its repeat. */
export function collapseIdOf(push: ReceivedPush): string | null | undefined {
  if (push.gateway === 'web_push') return webText.parse(JSON.parse(push.text ?? '{}')).notification.tag;
  return push.gateway === 'apns' ? push.headers['apns-collapse-id'] : push.nid;
}

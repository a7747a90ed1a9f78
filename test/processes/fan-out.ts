/** What is asked of every fan-out, whatever went wrong in its middle. */
import { expect, vi } from 'vitest';
import type { ReceivedPush } from '../../src/simulator/ledger.ts';
import type { Simulator } from '../../src/simulator/surface.ts';
import type { StoredDevice } from '../support/simulated-app.ts';

/**
 * The requests of one process that are in flight to Apple's two hosts and to Google, where these answer at once: three
 * times what the test of the window says of one. What the database has not been handed takes places among them.
 */
export const IN_FLIGHT_MAX = 3 * 256;

/** A notification that reached all: what its record holds. */
export function allAccepted(devices: number) {
  const none = { rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0, pending: 0 };
  return { state: 'sent', devices, accepted: devices, ...none };
}

/** What the simulator has of a notification that reached each of these devices, and none of them twice. */
export function onceEach(devices: readonly StoredDevice[]): Map<string, number> {
  return new Map(devices.map(({ token }) => [token, 1]));
}

/** Waits until so many devices have been pushed to. */
export async function reach(simulator: Simulator, id: string, devices: number): Promise<void> {
  await vi.waitFor(
    () => {
      const { size } = simulator.pushesByToken(id);
      if (size < devices) throw new Error(`${size} of ${devices} devices were pushed to`);
    },
    { timeout: 60_000, interval: 1 },
  );
}

/** How many pushes came more than once, counted by every repeat. */
export function repeatsOf(simulator: Simulator, id: string): number {
  const pushes = [...simulator.pushesByToken(id).values()];
  return pushes.reduce((sum, count) => sum + count - 1, 0);
}

/** The devices that no push has reached. */
export function missedOf(simulator: Simulator, id: string, devices: readonly StoredDevice[]): string[] {
  const reached = simulator.pushesByToken(id);
  return devices.filter(({ token }) => !reached.has(token)).map((device) => device.id);
}

/** Whatever came twice is the same push to gateway, app and tray. */
export function expectTheSamePushes(simulator: Simulator, id: string): void {
  const pushes = Map.groupBy(simulator.received({ nid: id }), ({ token }) => token);
  const different = [...pushes.values()]
    .filter((same) => new Set(same.map(identityOf)).size > 1)
    .map((same) => same.map(identityOf));
  expect(different).toEqual([]);
  const strangers = [...pushes.values()].flat().filter((push) => collapseIdOf(push) !== id);
  expect(strangers).toEqual([]);
}

/** All of a push that a gateway, an app or a tray can tell a repeat by. What is left of its time to live is none of it. */
function identityOf({ nid, headers, body }: ReceivedPush): string {
  const withoutTtl = body.replace(/"ttl":"\d+s"/, '"ttl":""');
  return JSON.stringify([nid, headers['apns-id'], headers['apns-collapse-id'], withoutTtl]);
}

/** The id under which a tray replaces the push by its repeat. */
function collapseIdOf(push: ReceivedPush): string | null | undefined {
  return push.gateway === 'apns' ? push.headers['apns-collapse-id'] : push.nid;
}

/**
 * Registers the devices of a process. Calls that arrive while others are looked up or stored share the next statement
 * (docs/decisions/0024-registrations-share-statements.md). A call that is not plain (a token that moves, a retired token, the id
 * of another device) is registered by a transaction of its own (`../register-device.ts`), with the same
 * result.
 */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { DatabaseError } from 'pg';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { SharedRuns } from '../../scheduling/shared-runs.ts';
import { inOrder } from '../../scheduling/in-order.ts';
import { deviceFrom } from '../device.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import { updatePlannerStatistics } from '../import/store.ts';
import { idFrom, type KnownOfCall, type Registered, registerDevice } from '../register-device.ts';
import { isConflict } from '../retry-on-conflict.ts';
import { toColumns } from '../to-columns.ts';
import {
  type ChangedLine,
  insertDevices,
  keyOf,
  type KnownDevice,
  type NewLine,
  readKnown,
  type TokenOfApp,
  updateDevices,
} from './shared-statements.ts';
import { type Plan, planOf } from './plan.ts';
import { Turn } from './turns.ts';

export interface Registrations {
  /**
   * As `registerDevice`, but a device that already has exactly these values is not written: its `registered_at` stays as it
   * is, for a day at most. Concurrent calls with the same token or id are stored in the order of the calls.
   * @throws what `registerDevice` throws
   */
  register(appId: string, registration: DeviceRegistration, known?: KnownOfCall): Promise<Registered>;
}

interface Call {
  registration: DeviceRegistration;
  token: TokenOfApp;
  hintedId: string | undefined;
  known: KnownOfCall;
}

interface Decided {
  plan: Plan;
  known: KnownDevice | undefined;
  now: Date;
}

/** Devices per statement. More devices save nothing more, and a statement for 100 new devices takes some 20 ms. */
const DEVICES_MAX = 100;

/**
 * Statements of each kind at once. One takes some 20 ms for 100 devices, and more devices cost less each: the next
 * starts at the same time only if it waits for a lock, or for pages of indexes that do not fit into memory.
 */
const STATEMENTS_MAX = 3;
const SLOW_MS = 50;

/** After this many new devices, the planner's statistics are updated, once (see `updatePlannerStatistics`). */
const ANALYZE_AFTER = 1_000;

/** Open one per process: calls share statements only with calls of the same `Registrations`. */
export function openRegistrations(deps: {
  db: Kysely<Database>;
  tokenKeys: TokenKeys;
  clock: Clock;
}): Registrations {
  const { db, tokenKeys, clock } = deps;
  /** Shared by the turns of all calls. */
  const taken = new Map<string, (() => void)[]>();
  const sharing = { itemsMax: DEVICES_MAX, runsMax: STATEMENTS_MAX, slowMs: SLOW_MS };
  // In order, so that calls leave in the order in which they came: only then is it known which devices each call is
  // about.
  const read = inOrder(async (tokens: readonly TokenOfApp[]) => readKnown(db, tokens));
  const reads = new SharedRuns<TokenOfApp, KnownDevice | undefined>({ run: read, ...sharing });
  let insertedDevices = 0;
  let isAnalyzed = false;
  const insert = async (lines: readonly NewLine[]): Promise<boolean[]> => {
    const inserted = await insertDevices(db, lines);
    insertedDevices += lines.length;
    if (!isAnalyzed && insertedDevices >= ANALYZE_AFTER) {
      isAnalyzed = true;
      void updatePlannerStatistics(db);
    }
    return inserted;
  };
  const inserts = new SharedRuns<NewLine, boolean>({ run: insert, ...sharing });
  const update = async (lines: readonly ChangedLine[]): Promise<boolean[]> => updateDevices(db, lines);
  const updates = new SharedRuns<ChangedLine, boolean>({ run: update, ...sharing });
  // Kept apart from the updates: if an update changes one targeting row, Postgres writes the targeting rows of all its
  // devices.
  const refreshes = new SharedRuns<ChangedLine, boolean>({ run: update, ...sharing });

  /** Takes the turn of the token, and the turns of the ids if something is to be written. */
  async function decide(call: Call, turn: Turn): Promise<Decided> {
    const {
      registration,
      token,
      hintedId,
      known: { addressLocation, isUserVerified },
    } = call;
    const keys = [keyOf(token), ...(hintedId === undefined ? [] : [hintedId])];
    if (turn.isFree(keys)) turn.take([keyOf(token)]);
    else await turn.waitFor(keys);
    for (;;) {
      const known = await reads.add(token);
      const allKeys = known === undefined || known.row.id === hintedId ? keys : [...keys, known.row.id];
      if (!turn.isFree(allKeys)) {
        // An earlier call is about to write this device.
        await turn.waitFor(allKeys);
        continue;
      }
      const now = clock();
      const planned = {
        appId: token.appId,
        platform: registration.platform,
        hintedId,
        hasPrevious: typeof registration.previous_push_token === 'string',
        change: toColumns(registration, token.pushToken, now, isUserVerified),
        addressLocation,
        newId: randomUUID(),
        now,
      };
      const plan = planOf(planned, known?.row);
      if (plan.kind !== 'unchanged') turn.take(allKeys);
      return { plan, known, now };
    }
  }

  /** @returns false if the device must be registered alone */
  async function isStored({ plan, known }: Decided, token: TokenOfApp): Promise<boolean> {
    try {
      if (plan.kind === 'insert') {
        const tokenKey = await tokenKeys.of(token.appId);
        return await inserts.add({ row: plan.row, tokenHash: tokenKey.hash(token.pushToken) });
      }
      if (known === undefined || plan.kind === 'alone' || plan.kind === 'unchanged') return false;
      const { row, changesCustom } = plan;
      const line = { row, changesCustom, version: known.version };
      return await (plan.kind === 'update' ? updates : refreshes).add(line);
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  return {
    register: async (appId, registration, knownOfCall = {}) => {
      const token = { appId, pushToken: registration.push_token };
      const call = { registration, token, hintedId: idFrom(registration.id), known: knownOfCall };
      const turn = new Turn(taken);
      try {
        const decided = await decide(call, turn);
        const { plan, known, now } = decided;
        if (plan.kind !== 'alone' && (plan.kind === 'unchanged' || (await isStored(decided, token)))) {
          return { device: deviceFrom(plan.row, known?.events ?? []), created: plan.kind === 'insert' };
        }
        return await registerDevice(db, tokenKeys, appId, registration, () => now, knownOfCall);
      } finally {
        turn.end();
      }
    },
  };
}

/** Whether the database refused a statement because of one of its lines. */
function isRefusal(error: unknown): boolean {
  return isConflict(error) || (error instanceof DatabaseError && !isUnavailable(error));
}

/** Why devices did not get a notification, with the number of each, its numbers by variant, and how fast it was sent. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { explainReason } from '../../gateways/explain-reason.ts';
import { noSuchNotification } from '../../notifications/look-up/read.ts';
import { groupsOf } from '../../notifications/content/variants.ts';
import { parseContent } from '../../notifications/message.ts';
import { count, idText, timeText } from '../../api/reply.ts';
import { isUuid } from '../../uuid.ts';
import { type OutcomeKind, outcomeKinds, tallyOf } from '../../delivery/outcomes/packed.ts';
import { splitReason } from '../../delivery/outcomes/reason-and-variant.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import { funnelReply, readFunnel } from '../receipts/funnel.ts';
import { readStoredReport, type StoredReport } from './report-store.ts';
import { readVariantCounts } from '../receipts/variant-store.ts';
import { type VariantOutcomes, variantsOf, variantsReply } from './variants.ts';

export const reportReply = z
  .strictObject({
    notification_id: idText,
    reasons: z
      .array(
        z
          .strictObject({
            outcome: z.enum(outcomeKinds).exclude(['accepted']),
            reason: z
              .string()
              .nullable()
              .describe('The code of the gateway, or a code of ours; null if the outcome has none.'),
            explanation: z
              .string()
              .describe('One or two sentences for people: what it means, and what to do.'),
            devices: count,
          })
          .meta({ id: 'ReasonCount' }),
      )
      .describe('The reasons of all outcomes but `accepted`, the most frequent first.'),
    uncounted: count.describe(
      'Devices with such an outcome whose reason is not counted: it was stored a moment ago, is no longer kept ' +
        '(`KEEP_DELIVERIES_DAYS`), or was stored by an earlier release.',
    ),
    funnel: funnelReply.describe('How far the notification got, according to the receipts of devices.'),
    variants: variantsReply,
    curve: z
      .strictObject({
        step_seconds: z.int().min(1).describe('The length of a step; a curve has some 300 steps at most.'),
        points: z
          .array(
            z
              .strictObject({ at: timeText.describe('When the step begins.'), devices: count })
              .meta({ id: 'CurvePoint' }),
          )
          .describe(
            'For each step, the devices whose slice of about 1,000 ended in it; steps without any are left out.',
          ),
      })
      .meta({ id: 'SendingCurve' }),
  })
  .meta({ id: 'NotificationReport' });

export type NotificationReport = z.output<typeof reportReply>;
type Reason = NotificationReport['reasons'][number];

/** Counted by outcome and then by reason; '' stands for no reason. */
type Counts = Map<OutcomeKind, Map<string, number>>;

/** @throws {ApiError} `not_found` if the app has no such notification */
export async function readReport(
  db: Kysely<Database>,
  key: NotificationKey,
  clock: Clock,
): Promise<NotificationReport> {
  if (!isUuid(key.notificationId)) throw noSuchNotification();
  const [stored, funnel] = await Promise.all([readStoredReport(db, key, clock()), readFunnel(db, key)]);
  if (stored === undefined || funnel === undefined) throw noSuchNotification();
  const { counts, byVariant } = countReasons(stored);
  const groups = groupsOf(parseContent(stored.body));
  const reasons = reasonsOf(counts);
  const explained = reasons.reduce((sum, { devices }) => sum + devices, 0);
  const { accepted: _accepted, ...others } = stored.counters;
  const notAccepted = Object.values(others).reduce((sum, number) => sum + number, 0);
  return {
    notification_id: key.notificationId.toLowerCase(),
    reasons,
    uncounted: Math.max(0, notAccepted - explained),
    funnel,
    variants: groups === undefined ? null : variantsOf(groups, byVariant, await readVariantCounts(db, key)),
    curve: curveOf(stored),
  };
}

function countReasons({ tallied, packed, counters, reason, prunedAt }: StoredReport) {
  const counts: Counts = new Map();
  const byVariant: VariantOutcomes = new Map();
  const add = (outcome: OutcomeKind, stored: string, devices: number): void => {
    const { reason: own, variant } = splitReason(stored);
    const key = own ?? '';
    const ofOutcome = counts.get(outcome) ?? new Map<string, number>();
    ofOutcome.set(key, (ofOutcome.get(key) ?? 0) + devices);
    counts.set(outcome, ofOutcome);
    if (variant === undefined) return;
    const ofVariant = byVariant.get(variant) ?? {};
    ofVariant[outcome] = (ofVariant[outcome] ?? 0) + devices;
    byVariant.set(variant, ofVariant);
  };
  for (const { outcome, reason: key, devices } of tallied) add(outcome, key, devices);
  for (const outcomes of packed) {
    const tally = tallyOf(outcomes);
    for (const outcome of outcomeKinds) {
      for (const [key, devices] of Object.entries(tally[outcome] ?? {})) add(outcome, key, devices);
    }
  }
  // A notification that failed before it was cut into slices has one reason for all of its devices.
  if (counts.size === 0 && prunedAt === null && counters.rejected > 0 && reason !== null) {
    add('rejected', reason, counters.rejected);
  }
  return { counts, byVariant };
}

function reasonsOf(counts: Counts): Reason[] {
  const reasons: Reason[] = [];
  for (const [outcome, ofOutcome] of counts) {
    if (outcome === 'accepted') continue;
    for (const [key, devices] of ofOutcome) {
      const reason = key === '' ? null : key;
      reasons.push({ outcome, reason, explanation: explainReason(outcome, reason), devices });
    }
  }
  return reasons.sort((left, right) => right.devices - left.devices || compare(left.reason, right.reason));
}

function compare(left: string | null, right: string | null): number {
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

function curveOf({ startedAt, stepSeconds, steps }: StoredReport): NotificationReport['curve'] {
  if (startedAt === null) return { step_seconds: 1, points: [] };
  return {
    step_seconds: stepSeconds,
    points: steps.map(({ step, devices }) => ({
      at: new Date(startedAt.getTime() + step * stepSeconds * 1_000).toISOString(),
      devices,
    })),
  };
}

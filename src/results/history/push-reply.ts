/** The replies that list pushes, and the words for what became of each. */
import { z } from 'zod';
import { idText, timeText } from '../../api/reply.ts';
import type { DeviceQuietHours } from '../../db/feature-tables/wave-tables.ts';
import { type Outcome, outcomeKinds } from '../../delivery/outcomes/packed.ts';
import { type HoursOfPush, quietHoursOf } from '../../delivery/waves/quiet-hours-of-push.ts';
import { explainReason } from '../../gateways/explain-reason.ts';
import { readableReason } from '../../gateways/reason.ts';
import { variantContents } from '../../notifications/content/variants.ts';
import type { NotificationContent } from '../../notifications/message.ts';
import type { Moment } from '../../notifications/moment/moment.ts';

/** Before there is an outcome, or without one. */
const openStates = ['planned', 'held', 'waiting', 'canceled', 'failed'] as const;

const stateFields = {
  at: timeText
    .nullable()
    .describe(
      'The moment of the state: of the outcome or the end; while it is `planned` or `held`, when it will be sent; null if unknown.',
    ),
  reason: z
    .string()
    .nullable()
    .describe('The code or text with which the gateway refused the push, or why it waits.'),
  explanation: z
    .string()
    .describe('One or two sentences for people: what the state means, and what to do. It may change.'),
};

const deviceState = z
  .enum([...openStates, ...outcomeKinds])
  .describe(
    'An outcome; or `planned` (it is not due yet), `held` (by quiet hours), `waiting` (it is being sent), `canceled` or `failed` ' +
      'before the device had an outcome.',
  )
  .meta({ id: 'PushState' });

const deviceFields = {
  state: deviceState,
  ...stateFields,
  variant: z
    .string()
    .nullable()
    .describe(
      'The variant of the device, or `hold_out`; null if there is no outcome, or the notification is no A/B test.',
    ),
  opened_at: timeText.nullable().describe('When the device reported that it was opened.'),
};

const notificationFields = {
  notification_id: idText,
  created_at: timeText.describe('When the notification was created.'),
  title: z.string().nullable(),
  alert: z.string().nullable().describe('Its text; null if it shows none.'),
};

export const devicePush = z
  .strictObject({ ...notificationFields, ...deviceFields })
  .meta({ id: 'DevicePush' });

export const userPush = z
  .strictObject({
    ...notificationFields,
    state: z
      .enum(['planned', 'sending', 'sent', 'nobody', 'canceled', 'failed', 'dry_run'])
      .describe('`nobody`: it was sent, and there was no device for it.'),
    ...stateFields,
    devices: z
      .array(z.strictObject({ device_id: idText, ...deviceFields }).meta({ id: 'PushToDeviceOfUser' }))
      .describe('What became of it on each device of the user, 20 at most.'),
  })
  .meta({ id: 'UserPush' });

export const pushesMeta = z
  .strictObject({
    cursor: z
      .string()
      .nullable()
      .describe(
        'Leads to older pushes; null if there are none. A page may be short, or empty, and still have one.',
      ),
    missing_before: timeText
      .nullable()
      .describe(
        'After an upgrade from a release without this call, pushes that were created earlier are added for some time; then it is null.',
      ),
  })
  .meta({ id: 'PushesMeta' });

export type DeviceState = Omit<z.output<typeof devicePush>, keyof typeof notificationFields | 'opened_at'>;

/** @param ownHours the quiet hours of the device now, as stored */
export function stateOf(
  outcome: Outcome,
  { content, moment }: { content: NotificationContent; moment: Moment | null },
  ownHours: DeviceQuietHours | null,
): DeviceState {
  const { kind, reason, variant = null, atMs } = outcome;
  return {
    state: kind,
    at: new Date(atMs).toISOString(),
    reason: reason === null ? null : readableReason(reason),
    explanation: explainOutcome(outcome, quietHoursOf(ownHours, moment, content)),
    variant,
  };
}

/** @param applied the quiet hours that apply to the device */
export function explainOutcome({ kind, reason }: Outcome, applied: HoursOfPush | undefined): string {
  if (applied === undefined) return explainReason(kind, reason);
  if (reason === 'quiet_hours') {
    return `Nothing was sent: its moment was in ${hoursInWords(applied)}, in which the notification is dropped.`;
  }
  if (reason === 'held_too_long') {
    return `Nothing was sent: ${hoursInWords(applied)} would have held it for longer than its time to live.`;
  }
  return explainReason(kind, reason);
}

/** The quiet hours, named so that one knows where to change them. */
export function hoursInWords({ of, from, to }: HoursOfPush): string {
  const whose = {
    device: 'the quiet hours that the user chose on the device',
    notification: 'the quiet hours of this notification',
    app: 'the quiet hours of the app',
  }[of];
  return `${whose} (${from} to ${to})`;
}

/** The texts of a notification in a list. @param variant of an A/B test, if it is known */
export function textsOf(
  { id, createdAt, content }: { id: string; createdAt: Date; content: NotificationContent },
  variant: string | null = null,
): Pick<z.output<typeof devicePush>, keyof typeof notificationFields> {
  const { payload } = variantContents(content).find(({ name }) => name === variant)?.content ?? content;
  return {
    notification_id: id,
    created_at: createdAt.toISOString(),
    title: payload.title ?? null,
    alert: payload.alert ?? null,
  };
}

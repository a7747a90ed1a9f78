/**
 * Options for keys of `aps` that have no key in the payload, because a payload's unknown keys are passed on to the app.
 */
import { z } from 'zod';
import { type ApsFields, BADGE_MAX, type BadgeChange } from '../../gateways/gateway.ts';
import { double } from '../../api/parse.ts';

const textRule = 'must be a text that is not empty';
const nameRule = 'must be the name of a sound file, or "default"';
const volumeRule = 'must be a number from 0 to 1';
const soundRule = 'must be the name of a sound file, or an object with name, critical and volume';

const text = z.string(textRule).min(1, textRule);

const sound = z
  .union(
    [
      text,
      z
        .strictObject({
          name: z
            .string(nameRule)
            .min(1, nameRule)
            .describe('A sound file of the app, or `default` for the sound of iOS.'),
          critical: z
            .boolean('must be true or false')
            .describe(
              'Whether it sounds even if the phone is muted or a Focus is on. The app needs a permission from Apple for it.',
            )
            .exactOptional(),
          volume: double(z.number(volumeRule).min(0, volumeRule).max(1, volumeRule))
            .describe('Of a critical alert: 0 is silent, 1 the full volume.')
            .exactOptional(),
        })
        .meta({ id: 'ApnsSound' }),
    ],
    soundRule,
  )
  .describe('Replaces the `sound` of the payload on iOS; needed for a critical alert.');

const badgeRule = `must be a whole number from 0 to ${BADGE_MAX}, "+1" or another "+n" or "-n", or "reset"`;
const BADGE_STEP = /^[+-][1-9]\d{0,8}$/;

const badge = z
  .union([z.int32().min(0), z.string().regex(BADGE_STEP), z.literal('reset')], badgeRule)
  .describe(
    'The number on the app’s icon, on iOS. `"+1"` is one more than the badge that is kept for the device, and `"reset"` is 0. ' +
      'The kept badge follows each push that was accepted, and what the app registers as `badge`.',
  );

/** Each may be left out: `apnsField`, which has them among others, says so. */
export const apsFields = z.object({
  badge,
  thread_id: text.describe('iOS shows notifications with the same one as a group (`thread-id`).'),
  target_content_id: text.describe('The window of the app that is brought forward (`target-content-id`).'),
  filter_criteria: text.describe(
    'The app’s Focus filter decides by this whether it is shown (`filter-criteria`).',
  ),
  sound,
});

export type ApsOptions = Partial<z.output<typeof apsFields>>;

/** @returns the options under Apple's names; undefined if there are none */
export function apsFieldsOf(options: ApsOptions): ApsFields | undefined {
  const { thread_id: thread, target_content_id: content, filter_criteria: criteria } = options;
  const fields = {
    ...(options.sound !== undefined && { sound: soundOf(options.sound) }),
    ...(thread !== undefined && { 'thread-id': thread }),
    ...(content !== undefined && { 'target-content-id': content }),
    ...(criteria !== undefined && { 'filter-criteria': criteria }),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** @returns undefined if the notification leaves the kept badges as they are */
export function badgeChangeOf({ badge: sent }: ApsOptions): BadgeChange | undefined {
  if (sent === undefined) return undefined;
  if (sent === 'reset') return { to: 0 };
  return typeof sent === 'number' ? { to: sent } : { by: Number(sent) };
}

function soundOf(sent: NonNullable<ApsOptions['sound']>): NonNullable<ApsFields['sound']> {
  if (typeof sent === 'string') return sent;
  const { name, critical, volume } = sent;
  return { ...(critical === true && { critical: 1 }), name, ...(volume !== undefined && { volume }) };
}

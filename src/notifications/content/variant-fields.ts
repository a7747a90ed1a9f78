/** The schema of the keys of `notification` for A/B tests. `variants.ts` checks them against each other. */
import { z } from 'zod';
import { inAnyCase } from '../../api/parse.ts';
import { changesSchema } from '../payload.ts';
import { HOLD_OUT } from './assign-variant.ts';
import { localizedSchema } from './localized.ts';

const VARIANTS_MIN = 2;
const VARIANTS_MAX = 8;
const WEIGHT_MAX = 1_000;

const countRule = `must be a list of ${VARIANTS_MIN} to ${VARIANTS_MAX} variants`;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const nameRule =
  'must be 1 to 32 letters, digits, hyphens or underscores, and begin with a letter or a digit';
const weightRule = `must be a whole number from 1 to ${WEIGHT_MAX}`;
const holdOutRule = 'must be a number above 0 and below 1';

const HOLD_OUT_NAME = new RegExp(`^${inAnyCase(HOLD_OUT)}$`);

export const variantSchema = z
  .strictObject(
    {
      name: z
        .string(nameRule)
        .regex(NAME, nameRule)
        .refine((name) => !HOLD_OUT_NAME.test(name), `must not be ${HOLD_OUT}, which names the hold-out`)
        .meta({
          not: { pattern: HOLD_OUT_NAME.source },
          description: 'The name of the variant in outcomes and reports.',
        }),
      weight: z
        .int(weightRule)
        .min(1, weightRule)
        .max(WEIGHT_MAX, weightRule)
        .describe(
          'Its share of the devices that are not held out is its weight divided by the sum of all weights.',
        ),
      payload: changesSchema
        .describe(
          'Keys of the payload that differ. A value replaces the one in `payload`; null removes the key.',
        )
        .exactOptional(),
      localized: localizedSchema
        .describe('Keys of `localized` that differ, by language tag. They take precedence over `localized`.')
        .exactOptional(),
    },
    'must be an object with name and weight',
  )
  .meta({ id: 'Variant' });

export const variantFields = {
  variants: z
    .array(variantSchema, countRule)
    .min(VARIANTS_MIN, countRule)
    .max(VARIANTS_MAX, countRule)
    .describe(
      'An A/B test: each device gets the payload with the changes of one variant. All devices of a ' +
        'user get the same variant, also when a push is retried. The report has the numbers of each ' +
        'variant.',
    ),
  hold_out: z
    .number(holdOutRule)
    .gt(0, holdOutRule)
    .lt(1, holdOutRule)
    .describe(
      'The share of the audience that gets nothing, as a comparison: `dropped` with the reason `held_out`. Needs `variants`.',
    ),
  experiment: z
    .string(nameRule)
    .regex(NAME, nameRule)
    .describe(
      'Devices are assigned by this name instead of the id of the notification: several notifications with the same name, ' +
        'variants, weights and hold-out divide the audience in the same way, and a preview knows the variant of a device. ' +
        'Needs `variants`.',
    ),
};

export type Variant = z.output<typeof variantSchema>;

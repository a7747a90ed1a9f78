/** A warning of a preview, and what would mend it. */
import { z } from 'zod';

const editReply = z
  .strictObject({
    op: z.enum(['set', 'remove']),
    path: z.string(),
    value: z.unknown().optional().describe('Only for `set`.'),
  })
  .meta({ id: 'PreviewFix' });

const warning = z
  .strictObject({
    code: z
      .enum(['foreign_key', 'null_value', 'picture_not_shown', 'no_effect', 'same_variants'])
      .describe(
        '`foreign_key`: a custom key that means something to other servers. `null_value`: iOS may show nothing. ' +
          '`picture_not_shown`: not on iOS. `no_effect`: Android draws nothing. `same_variants`: two variants push the same.',
      ),
    path: z.string(),
    message: z.string(),
    fix: z
      .array(editReply)
      .nullable()
      .describe('Edits of the body that mend it; then preview again. Null: only a person can.'),
  })
  .meta({ id: 'PreviewWarning' });

export const warningsReply = z
  .array(warning)
  .describe(
    'Warnings about what is valid but probably not meant: payload keys that mean something to other servers and are ' +
      'passed on here, values that a phone does not show, and variants that are the same. Creation accepts them.',
  );

export type Warning = z.output<typeof warning>;

/** The key `template` of a notification: only with it are texts of the payload templates. */
import { z } from 'zod';

const onMissing = z
  .enum(['empty', 'skip'], 'must be "empty" or "skip"')
  .describe(
    'If a device has no value for one of the outputs, and the template has no `default`: `empty` ' +
      'leaves the output empty, `skip` sends nothing to the device.',
  );

export const templateSchema = z
  .union(
    [z.boolean(), z.strictObject({ on_missing: onMissing }).meta({ id: 'TemplateOptions' })],
    'must be true, false or {"on_missing"}',
  )
  .describe(
    'Whether `{{ … }}` in texts is replaced by attributes of the device. `true` is the same as `{"on_missing": "empty"}`.',
  );

type Setting = z.output<typeof templateSchema> | undefined;

/** @returns undefined if texts are not templates */
export function onMissingOf(setting: Setting): 'empty' | 'skip' | undefined {
  if (setting === undefined || setting === false) return undefined;
  return setting === true ? 'empty' : setting.on_missing;
}

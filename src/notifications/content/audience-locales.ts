/** Counts which languages an audience reads, and which translation each device gets. */
import { z } from 'zod';
import { count } from '../../api/reply.ts';
import { canonicalTag, openLookUp } from './locales.ts';

/** Only the most frequent locales are listed; the others are counted together. */
const LOCALES_LISTED = 200;

export const audienceLocalesReply = z
  .strictObject({
    devices: count.describe('The number of devices whose locale was read.'),
    is_sample: z
      .boolean()
      .describe('Whether the audience has more devices than that; then they are a random sample of it.'),
    untranslated: count.describe('Devices that get the default payload, because no translation fits them.'),
    locales: z
      .array(
        z
          .strictObject({
            locale: z.string().nullable().describe('The locale as the devices registered it; null: none.'),
            devices: count,
            translation: z
              .string()
              .nullable()
              .describe('The best of the given translations; null: the default payload.'),
          })
          .meta({ id: 'LocaleCount' }),
      )
      .describe(`The most frequent first, ${LOCALES_LISTED} at most.`),
  })
  .meta({ id: 'AudienceLocales' });

/** @param found the locale of each device */
export function audienceLocales(
  found: readonly (string | null)[],
  { translations, isSample }: { translations: readonly string[]; isSample: boolean },
): z.output<typeof audienceLocalesReply> {
  const submitted = new Map(translations.map((tag) => [canonicalTag(tag), tag]));
  submitted.delete(undefined);
  const lookUp = openLookUp(new Set([...submitted.keys()].filter((tag) => tag !== undefined)));
  const numbers = new Map<string | null, number>();
  for (const locale of found) numbers.set(locale, (numbers.get(locale) ?? 0) + 1);
  const locales = [...numbers]
    .map(([locale, devices]) => ({ locale, devices, translation: submitted.get(lookUp(locale)) ?? null }))
    .sort((left, right) => right.devices - left.devices);
  return {
    devices: found.length,
    is_sample: isSample,
    untranslated: locales.reduce(
      (sum, { devices, translation }) => sum + (translation === null ? devices : 0),
      0,
    ),
    locales: locales.slice(0, LOCALES_LISTED),
  };
}

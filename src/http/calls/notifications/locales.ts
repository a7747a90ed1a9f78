/**
 * The call that counts the devices of a notification's target by locale, so that a missing translation is noticed
 * before sending.
 */
import { z } from 'zod';
import { invalidRequest } from '../../../api/errors.ts';
import { audienceLocales, audienceLocalesReply } from '../../../notifications/content/audience-locales.ts';
import { canonicalTag, LANGUAGE_TAG } from '../../../notifications/content/locales.ts';
import { filtersOf, parseTarget, type Target } from '../../../notifications/target.ts';
import { faultsOf, isJsonObject, judge } from '../../../api/parse.ts';
import { sampleDevices } from '../../../targeting/sample-devices.ts';
import { notificationTarget } from '../../openapi/notification-request.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { abortOnDisconnect } from '../../connection.ts';
import { requireAudience } from '../audiences/counting.ts';
import { filters } from '../samples.ts';

/** Reading this many takes some 30 ms. A locale that 1% of the devices have is then estimated at 0.8 to 1.2%. */
const DEVICES_MAX = 10_000;

const TRANSLATIONS_MAX = 100;

const tag = z.string('must be a language tag').meta({ pattern: LANGUAGE_TAG.source });

const localesBody = z.strictObject(
  {
    to: z.unknown().optional(),
    translations: z
      .array(tag, 'must be a list of language tags')
      .max(TRANSLATIONS_MAX, `must have at most ${TRANSLATIONS_MAX} tags`)
      .superRefine((tags, context) => {
        if (tags.length > TRANSLATIONS_MAX) return; // checking a tag takes 10 µs
        for (const [index, text] of tags.entries()) {
          if (canonicalTag(text) !== undefined) continue;
          const message = 'must be a language tag such as fr, fr-CA or zh-Hant';
          context.addIssue({ code: 'custom', path: [index], message });
        }
      })
      .describe('The keys of `localized`; if left out, none.')
      .exactOptional(),
  },
  'must be an object: {"to", "translations"}',
);

const countLocalesBody = localesBody
  .extend({ to: notificationTarget })
  .meta({ id: 'CountNotificationLocales' });

interface Wanted {
  target: Target;
  translations: readonly string[];
}

export const notificationLocalesCall = callsWithKey('Notifications')({
  id: 'countNotificationLocales',
  method: 'POST',
  path: '/v6/notifications/locales',
  repeat: 'reads',
  readsReplica: true,
  summary: 'Count the devices that a notification would go to, by locale',
  description:
    `Says which of the given translations each locale gets. For an audience of more than ${DEVICES_MAX.toLocaleString('en')} devices, ` +
    'a random sample is counted. Stores nothing.',
  scopes: ['read'],
  body: { schema: countLocalesBody, example: { to: filters, translations: ['fr', 'fr-CA'] } },
  replies: [
    jsonReply(200, 'The locales, the most frequent first.', audienceLocalesReply, {
      devices: 1,
      is_sample: false,
      untranslated: 0,
      locales: [{ locale: 'fr_CA', devices: 1, translation: 'fr-CA' }],
    }),
  ],
  errors: ['not_found'],
  parse: parseBody,
  handle: async (deps, { caller: { appId }, body: { target, translations }, reply }) => {
    const { db, clock, countLimiter } = deps;
    const selecting =
      target.kind === 'stored'
        ? (await requireAudience(deps, appId, target.audienceId.toLowerCase())).filters
        : filtersOf(target);
    const signal = abortOnDisconnect(reply);
    const request = { appId, filters: selecting, now: clock(), signal };
    const found = await countLimiter.run(
      async () => sampleDevices(db, request, DEVICES_MAX + 1, [{ column: 'locale' }]),
      signal,
    );
    const locales = found.slice(0, DEVICES_MAX).map(({ facts: [locale] = [] }) => textOf(locale));
    return audienceLocales(locales, { translations, isSample: found.length > DEVICES_MAX });
  },
});

/** Parses `{"to": …, "translations": […]}`. @throws {ApiError} `invalid_request` with every fault */
function parseBody(body: unknown): Wanted {
  const wrapper = judge(localesBody, body);
  const target = isJsonObject(body) ? parseTarget(body['to'], 'to') : undefined;
  if (wrapper.success && target?.value !== undefined) {
    return { target: target.value, translations: wrapper.data.translations ?? [] };
  }
  throw invalidRequest([
    ...(wrapper.error === undefined ? [] : faultsOf(wrapper.error, '')),
    ...(target?.faults ?? []),
  ]);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * The calls that count the devices of a notification's target: all of them, and by locale, so that a missing translation is
 * noticed before sending.
 */
import { z } from 'zod';
import { isJsonObject, type Parsed, parseWith } from '../../../api/parse.ts';
import { audienceLocales, audienceLocalesReply } from '../../../notifications/content/audience-locales.ts';
import { canonicalTag, LANGUAGE_TAG } from '../../../notifications/content/locales.ts';
import { filtersOf, parseTarget, type Target } from '../../../notifications/target.ts';
import { sampleDevices } from '../../../targeting/matching-devices.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { abortOnDisconnect } from '../../connection.ts';
import { notificationTarget } from '../../openapi/notification-request.ts';
import { count, countedAudience, filtersOfTarget } from '../audiences/counting.ts';
import { countJson, countReply } from '../audiences/reply.ts';
import { filters } from '../samples.ts';

const call = callsWithKey('Notifications');

const targetBody = z.strictObject({ to: z.unknown().optional() }, 'must be an object: {"to"}');
const countNotificationBody = targetBody.extend({ to: notificationTarget }).meta({ id: 'CountNotification' });

const countCall = call({
  id: 'countNotification',
  address: 'POST /v6/notifications/count',
  repeat: 'reads',
  readsReplica: true,
  summary: 'Count the devices that a notification would go to',
  description: 'Takes every form of `to`. Stores nothing.',
  scopes: ['read'],
  body: { schema: countNotificationBody, example: { to: filters } },
  replies: [jsonReply(200, 'The count at this moment.', countReply, { device_count: 1, reachable_count: 1 })],
  errors: ['not_found'],
  parse: (body) => parseWith(targetBody, body, targetIn(body)).part,
  handle: async (deps, { caller: { appId }, body: target, reply }) => {
    if (target.kind === 'stored') {
      return countJson((await countedAudience(deps, appId, target.audienceId.toLowerCase())).count);
    }
    const selecting = filtersOf(target);
    const counted = await count(deps, appId, selecting, { signal: abortOnDisconnect(reply) });
    return countJson(counted.count);
  },
});

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

const countLocalesCall = call({
  id: 'countNotificationLocales',
  address: 'POST /v6/notifications/locales',
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
  parse: (body) => parseWith(localesBody, body, targetIn(body)),
  handle: async (deps, { caller: { appId }, body: { whole, part: target }, reply }) => {
    const { db, clock, countLimiter } = deps;
    const selecting = await filtersOfTarget(deps, appId, target);
    const signal = abortOnDisconnect(reply);
    const request = { appId, filters: selecting, now: clock(), signal };
    const found = await countLimiter.run(
      async () => sampleDevices(db, request, DEVICES_MAX + 1, [{ column: 'locale' }]),
      signal,
    );
    const locales = found.slice(0, DEVICES_MAX).map(({ facts: [locale] = [] }) => textOf(locale));
    return audienceLocales(locales, {
      translations: whole.translations ?? [],
      isSample: found.length > DEVICES_MAX,
    });
  },
});

export const countCalls = [countCall, countLocalesCall];

function targetIn(body: unknown): Parsed<Target> | undefined {
  return isJsonObject(body) ? parseTarget(body['to'], 'to') : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Suggestions for a builder of filters, from the app's own data. */
import { z } from 'zod';
import { findAttribute } from '../../../filters/attributes.ts';
import { NAMES_MAX, type Suggestions, SUGGESTIONS_MAX } from '../../../targeting/suggest-values.ts';
import { count, timeText } from '../../../api/reply.ts';
import type { CallDeps } from '../../call-deps.ts';
import { callsWithKey, jsonReply } from '../../call.ts';

const PREFIX_CHARACTERS_MAX = 100;
const NAME_CHARACTERS_MAX = 255;

const prefixRule = `must have 1 to ${PREFIX_CHARACTERS_MAX} characters`;
const prefix = z
  .string(prefixRule)
  .min(1, prefixRule)
  .max(PREFIX_CHARACTERS_MAX, prefixRule)
  .optional()
  .meta({ type: 'string', description: 'Only those that begin with it, in upper or lower case.' });

const valuesQuery = z.object({
  name: z
    .string('must be the name of a filter')
    .max(NAME_CHARACTERS_MAX, `must have at most ${NAME_CHARACTERS_MAX} characters`)
    .superRefine((name, context) => {
      const attribute = findAttribute(name);
      if (attribute.kind === 'unknown') context.addIssue({ code: 'custom', message: attribute.reason });
    })
    .meta({ type: 'string', description: 'The name of a filter, such as `locale` or `custom.string.plan`.' }),
  prefix,
});

const counted = {
  device_count: count.describe('Devices that have it.'),
  is_exact: z
    .boolean()
    .describe('Whether `device_count` was counted; otherwise it is estimated from 20,000 random devices.'),
};
const sampledAt = timeText.describe('When the devices were read, at most a minute ago.');

const valuesReply = z
  .strictObject({
    values: z.array(
      z
        .strictObject({ value: z.union([z.string(), z.number(), z.boolean()]), ...counted })
        .meta({ id: 'SuggestedValue' }),
    ),
    sampled_at: sampledAt,
  })
  .meta({ id: 'SuggestedValues' });

const namesReply = z
  .strictObject({
    names: z.array(z.strictObject({ name: z.string(), ...counted }).meta({ id: 'SuggestedName' })),
    sampled_at: sampledAt,
  })
  .meta({ id: 'SuggestedNames' });

const AT = '2026-11-21T09:30:00.000Z';

const call = callsWithKey('Audiences');

export const suggestCalls = [
  call({
    id: 'suggestValues',
    address: 'GET /v6/filters/values',
    readsReplica: true,
    summary: 'Suggest values for a filter',
    description:
      `The ${SUGGESTIONS_MAX} most common values of the app's devices. Of a large app, values that one in a thousand devices ` +
      'has may be missing. Users, ids, places, dates and events have none, nor have custom attributes and tags whose ' +
      'values look as if they were about one person.',
    scopes: ['read'],
    query: { schema: valuesQuery, example: { name: 'locale', prefix: 'fr' } },
    replies: [
      jsonReply(200, 'The values, the most common one first.', valuesReply, {
        values: [{ value: 'fr_FR', device_count: 1_204, is_exact: true }],
        sampled_at: AT,
      }),
    ],
    handle: async (deps, { caller: { appId }, query: { name, prefix: begin = '' } }) => {
      const found = await deps.suggester.values(depsOf(deps), { appId, name, prefix: begin });
      return { ...repliesOf(found, 'value', 'values'), sampled_at: found.sampledAt.toISOString() };
    },
  }),
  call({
    id: 'suggestNames',
    address: 'GET /v6/filters/names',
    readsReplica: true,
    summary: 'List the custom attributes and events of the app',
    description: `At most ${NAMES_MAX}, as filters name them, the most common one first. Those that fewer than two of 20,000 random devices have may be missing.`,
    scopes: ['read'],
    query: { schema: z.object({ prefix }), example: { prefix: 'pl' } },
    replies: [
      jsonReply(200, 'The names.', namesReply, {
        names: [{ name: 'custom.string.plan', device_count: 30_100, is_exact: false }],
        sampled_at: AT,
      }),
    ],
    handle: async (deps, { caller: { appId }, query: { prefix: begin = '' } }) => {
      const found = await deps.suggester.names(depsOf(deps), { appId, prefix: begin });
      return { ...repliesOf(found, 'name', 'names'), sampled_at: found.sampledAt.toISOString() };
    },
  }),
];

function depsOf({ db, clock, countLimiter }: CallDeps) {
  return { db, clock, limit: async <Result>(work: () => Promise<Result>) => countLimiter.run(work) };
}

function repliesOf({ values }: Suggestions, each: string, all: string): Record<string, unknown> {
  return {
    [all]: values.map(({ value, devices, isExact }) => ({
      [each]: value,
      device_count: devices,
      is_exact: isExact,
    })),
  };
}

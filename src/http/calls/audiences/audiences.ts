/** Audiences: list, read with the count, create by name, delete, list what uses one. */
import { createNamedAudience, listAudiences } from '../../../audiences/audience-store.ts';
import { deleteAudience, readAudienceUses } from '../../../audiences/delete.ts';
import { editAudience } from '../../../audiences/edit.ts';
import { cursorOf } from '../../../api/page-cursor.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { abortOnDisconnect } from '../../connection.ts';
import { audience, audienceCursor, audienceUse, filters, listedAudience } from '../samples.ts';
import { createAudienceBody, editAudienceBody, listQuery, parseEdit, parseNamedAudience } from './body.ts';
import { cacheKey, count, countedAudience, requireAudience } from './counting.ts';
import {
  audienceJson,
  audienceListReply,
  audienceReply,
  audienceUsesReply,
  listedJson,
  useJson,
} from './reply.ts';

const call = callsWithKey('Audiences');

export const audienceCalls = [
  call({
    id: 'listAudiences',
    address: 'GET /v6/audiences',
    readsReplica: true,
    summary: 'List audiences, oldest first',
    description: 'Continue with `meta.cursor` until it is null.',
    scopes: ['read'],
    query: { schema: listQuery, example: { per: 10, cursor: audienceCursor, page: 1, kind: 'named' } },
    replies: [
      jsonReply(200, 'A page of audiences, without counts.', audienceListReply, {
        audiences: [listedAudience],
        meta: { cursor: null },
      }),
    ],
    handle: async ({ db }, { caller: { appId }, query: { per: perPage, page, cursor: after, kind } }) => {
      const { audiences, next } = await listAudiences(db, { appId, perPage, page, after, kind });
      return {
        audiences: audiences.map(listedJson),
        meta: { cursor: next === undefined ? null : cursorOf(next) },
      };
    },
  }),
  call({
    id: 'readAudience',
    address: 'GET /v6/audiences/:audience_id',
    readsReplica: true,
    summary: 'Read an audience with its device count',
    scopes: ['read'],
    replies: [jsonReply(200, 'The audience.', audienceReply, { audience })],
    handle: async (deps, { caller: { appId }, params, reply }) => {
      const { body } = await countedAudience(deps, appId, params.audience_id);
      return reply.type('application/json').send(body);
    },
  }),
  call({
    id: 'createAudience',
    address: 'POST /v6/audiences',
    summary: 'Create a named audience',
    description: 'Always creates a new audience, even if another has the same filters or the same name.',
    scopes: ['write'],
    recordedAs: 'audience.created',
    body: { schema: createAudienceBody, example: { audience: { name: audience.name, filters } } },
    replies: [jsonReply(201, 'The new audience.', audienceReply, { audience })],
    parse: parseNamedAudience,
    handle: async (deps, { caller: { appId }, body: named, reply }) => {
      // Counts first: if the count takes too long, the call is refused, and a refused call must store nothing.
      const counted = await count(deps, appId, named.filters, { signal: abortOnDisconnect(reply) });
      const created = await createNamedAudience(deps.db, { appId, ...named, clock: deps.clock });
      return { audience: audienceJson(created, counted.count) };
    },
  }),
  call({
    id: 'editAudience',
    address: 'PUT /v6/audiences/:audience_id',
    summary: 'Rename a named audience, or change its filters',
    description:
      'Replaces both. Notifications that are being sent, or were sent, keep the filters with which they were planned; ' +
      'scheduled ones go to the audience as it is when they are due.',
    scopes: ['write'],
    body: {
      schema: editAudienceBody,
      example: { audience: { name: audience.name, filters }, if_updated_at: audience.updated_at },
    },
    replies: [jsonReply(200, 'The audience as it is now.', audienceReply, { audience })],
    errors: ['audience_built_in', 'audience_not_named', 'audience_changed'],
    parse: parseEdit,
    handle: async (deps, { caller, params: { audience_id: id }, body: edit, author, reply }) => {
      const { appId } = caller;
      // Counts first, as `createAudience` does.
      const counted = await count(deps, appId, edit.filters, { signal: abortOnDisconnect(reply) });
      const wanted = { appId, id, clock: deps.clock, ...edit };
      const edited = await editAudience(deps.db, wanted, author());
      deps.countCache.forget(cacheKey(appId, id));
      return { audience: audienceJson(edited, counted.count) };
    },
  }),
  call({
    id: 'deleteAudience',
    address: 'DELETE /v6/audiences/:audience_id',
    summary: 'Delete an audience',
    description:
      'Notifications that were sent to it are kept. The same filters create a new audience with a new id.',
    scopes: ['write'],
    replies: [{ status: 204, description: 'Deleted.' }],
    errors: ['audience_in_use', 'audience_built_in'],
    handle: async ({ db, clock, countCache }, { caller, params: { audience_id: id }, author }) => {
      await deleteAudience(db, caller.appId, id, clock, author());
      countCache.forget(cacheKey(caller.appId, id));
    },
  }),
  call({
    id: 'listAudienceUses',
    address: 'GET /v6/audiences/:audience_id/uses',
    readsReplica: true,
    summary: 'List the notifications that use an audience',
    description:
      'Lists notifications that are scheduled or being sent: while there are any, the audience cannot be deleted. ' +
      'An edit changes the devices of the scheduled ones.',
    scopes: ['read'],
    replies: [
      jsonReply(200, 'At most 20 notifications of each state, earliest due time first.', audienceUsesReply, {
        notifications: [audienceUse],
      }),
    ],
    handle: async (deps, { caller: { appId }, params: { audience_id: id } }) => {
      await requireAudience(deps, appId, id);
      return { notifications: (await readAudienceUses(deps.db, appId, id)).map(useJson) };
    },
  }),
];

/** The audit log: in pages, and as a stream of lines. */
import {
  auditEntryReply,
  auditFilterQuery,
  auditListQuery,
  auditListReply,
  exportAudit,
  listAudit,
} from '../../../audit/list.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { NDJSON_TYPE } from '../../list-body.ts';
import { sendText } from '../../streams.ts';
import { CREATED_AT, ENDED_AT, KEY_ID, NOTIFICATION_ID } from '../samples.ts';

const call = callsWithKey('Audit');

const auditCursor = Buffer.from(`${CREATED_AT} ${KEY_ID}`).toString('base64url');

const auditEntry = {
  id: '4a1d2f60-8f0c-4a53-8d55-0c6b8a0e6c11',
  at: ENDED_AT,
  by: { kind: 'key', id: KEY_ID, name: null },
  action: 'notification.canceled',
  object_id: NOTIFICATION_ID,
  object_name: 'Order shipped',
  before: { state: 'scheduled' },
  after: { state: 'canceled', accepted: 0 },
  address: '203.0.113.7',
  request_id: 'b3c6f0a2-9a5e-4f0e-8a37-6d1f5a0c2e4b',
};

const filterExample = {
  by: KEY_ID,
  action: auditEntry.action,
  object: auditEntry.object_id,
  from: '2026-11-01',
  to: '2026-12-01',
};

export const auditCalls = [
  call({
    id: 'listAudit',
    address: 'GET /v6/audit',
    readsReplica: true,
    summary: 'List the changes of the app, newest first',
    description:
      'Every change by users of the console and by the command line. Changes by API keys are recorded only ' +
      'if they are rare: keys, credentials, webhooks, deleted audiences, cancels, erased and imported ' +
      'devices. Entries are never changed or removed.',
    scopes: ['admin'],
    query: { schema: auditListQuery, example: { ...filterExample, per: 10, cursor: auditCursor } },
    replies: [
      jsonReply(200, 'A page of entries.', auditListReply, { entries: [auditEntry], meta: { cursor: null } }),
    ],
    handle: async ({ db }, { caller, query }) =>
      listAudit(db, caller.appId, query, { isNamed: caller.scopes.includes('read') }),
  }),
  call({
    id: 'exportAudit',
    address: 'GET /v6/audit/export',
    readsReplica: true,
    summary: 'Export the changes of the app, newest first',
    description: 'Takes the same filters as the list, and streams every matching entry.',
    scopes: ['admin'],
    query: { schema: auditFilterQuery, example: filterExample },
    replies: [
      {
        status: 200,
        description: 'One entry per line, as in the list.',
        mediaType: NDJSON_TYPE,
        each: auditEntryReply,
        example: `${JSON.stringify(auditEntry)}\n`,
      },
    ],
    handle: async ({ db }, { caller, query, reply }) =>
      sendText(
        reply,
        { mediaType: NDJSON_TYPE, fileName: 'audit.ndjson' },
        exportAudit(db, caller.appId, query),
      ),
  }),
];

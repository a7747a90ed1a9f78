import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog } from '../../../src/process/log/log.ts';
import type { DatabaseCondition, Observation } from '../../../src/observe.ts';

const error = Object.assign(new Error('broken', { cause: new Error('deeper', { cause: 'not an error' }) }), {
  parameters: ['0123abcdef'],
  input: 'postgres://user:secret@host/db',
});

/** One observation of every kind, with the level it is logged at. */
const observations = {
  server_listening: ['info', { kind: 'server_listening', url: 'http://127.0.0.1:8080' }],
  metrics_listening: ['info', { kind: 'metrics_listening', url: 'http://127.0.0.1:9464' }],
  console_listening: ['info', { kind: 'console_listening', url: 'http://127.0.0.1:9000/console' }],
  draining: ['info', { kind: 'draining', signal: 'SIGTERM' }],
  stopped: ['info', { kind: 'stopped' }],
  start_refused: ['error', { kind: 'start_refused', reason: 'PORT must be a number', exitCode: 78 }],
  log_unwritable: ['error', { kind: 'log_unwritable', code: 'ENOSPC' }],
  not_drained: ['error', { kind: 'not_drained', seconds: 25, unsaved: 3 }],
  database_started: ['info', { kind: 'database_started', port: 5432, dataDir: './data' }],
  waiting_for_database: ['warn', { kind: 'waiting_for_database', message: 'connect ECONNREFUSED' }],
  database_error: ['error', { kind: 'database_error', message: 'gone' }],
  database_away: ['error', away('unreachable')],
  database_back: ['info', { kind: 'database_back', condition: 'unreachable', durationMs: 5, errors: 3 }],
  replica_away: ['warn', { kind: 'replica_away', message: 'connect ECONNREFUSED' }],
  replica_used: ['info', { kind: 'replica_used' }],
  migrated: ['info', { kind: 'migrated', migrations: ['0001-core'] }],
  time_zones_unknown: [
    'warn',
    { kind: 'time_zones_unknown', renamed: 1, missing: 0, examples: ['Asia/Calcutta'] },
  ],
  log_written_again: ['warn', { kind: 'log_written_again', lost: 3 }],
  few_descriptors: ['warn', { kind: 'few_descriptors', limit: 512, connectionsMax: 256 }],
  little_memory: ['warn', { kind: 'little_memory', limit: 268_435_456 }],
  descriptors_used_up: ['error', { kind: 'descriptors_used_up', message: 'EMFILE' }],
  descriptors_free: ['info', { kind: 'descriptors_free', durationMs: 1 }],
  connections_full: ['warn', { kind: 'connections_full', open: 257, max: 256, reason: 'limit' }],
  connections_free: ['info', { kind: 'connections_free', open: 230, max: 256 }],
  proxy_not_trusted: ['warn', { kind: 'proxy_not_trusted' }],
  sign_in: [
    'info',
    {
      kind: 'sign_in',
      requestId: 'r',
      address: '10.0.0.7',
      by: 'password',
      userId: null,
      result: 'signed_in',
    },
  ],
  openid_failed: ['warn', { kind: 'openid_failed', problem: 'unreachable', reason: 'TypeError' }],
  request_handled: ['debug', handled(404)],

  batch_handled: ['debug', batch(0)],
  user_checked: ['debug', { kind: 'user_checked', mode: 'report', result: 'missing' }],
  receipts_stored: ['debug', { kind: 'receipts_stored', stored: 1, refused: 0 }],
  receipts_counted: ['debug', { kind: 'receipts_counted', counted: 1, repeated: 0, ignored: 0 }],
  request_failed: ['error', { kind: 'request_failed', requestId: 'r', method: 'GET', route: '/', error }],
  request_unreadable: [
    'debug',
    { kind: 'request_unreadable', requestId: 'r', status: 400, reason: 'HPE_INVALID_METHOD' },
  ],
  notification_planned: ['info', planned('bulk')],
  notification_ended: ['debug', ended('sent')],
  wave_started: [
    'debug',
    {
      kind: 'wave_started',
      notificationId: 'n',
      requestId: 'r',
      wave: 0,
      devices: 1,
      slices: 1,
      action: 'send',
    },
  ],
  slice_finished: [
    'debug',
    { kind: 'slice_finished', notificationId: 'n', requestId: 'r', number: 1, devices: 2, durationMs: 3 },
  ],
  slice_recorded: [
    'debug',
    {
      kind: 'slice_recorded',
      notificationId: 'n',
      requestId: 'r',
      lane: 'bulk',
      state: 'sending',
      devices: 2,
      done: 1,
      startedAt: null,
    },
  ],
  delivery_progress: ['info', progress('bulk')],
  slice_handed_on: [
    'info',
    {
      kind: 'slice_handed_on',
      notificationId: 'n',
      requestId: 'r',
      number: 1,
      unfinished: 2,
      reason: 'draining',
    },
  ],
  push_request_sent: ['trace', { kind: 'push_request_sent', gateway: 'apns' }],
  push_request_ended: [
    'trace',
    { kind: 'push_request_ended', gateway: 'apns', answer: 'answered', durationMs: 3 },
  ],
  push_finished: ['trace', finished('accepted')],
  push_retried: [
    'debug',
    {
      kind: 'push_retried',
      notificationId: 'n',
      requestId: 'r',
      gateway: 'apns',
      reason: 'Shutdown',
      attempt: 1,
    },
  ],
  pushes_retried: [
    'info',
    { kind: 'pushes_retried', gateway: 'fcm', pushes: 3, reasons: { UNAVAILABLE: 2, INTERNAL: 1 } },
  ],
  credentials_refused: [
    'error',
    {
      kind: 'credentials_refused',
      gateway: 'fcm',
      route: 'fcm',
      notificationId: 'n',
      requestId: 'r',
      reason: 'UNAUTHENTICATED',
    },
  ],
  push_stopped_process: [
    'error',
    { kind: 'push_stopped_process', notificationId: 'n', requestId: 'r', number: 0, deviceId: null },
  ],
  route_paused: [
    'error',
    {
      kind: 'route_paused',
      gateway: 'apns',
      route: 'apns_production',
      cause: 'credentials',
      notificationId: 'n',
      requestId: 'r',
      reason: 'credentials that worked before are refused (InvalidProviderToken)',
    },
  ],
  route_resumed: ['info', { kind: 'route_resumed', gateway: 'apns', route: 'apns_production' }],
  session_opened: ['info', { kind: 'session_opened', gateway: 'apns', origin: 'https://127.0.0.1' }],
  session_closed: [
    'info',
    { kind: 'session_closed', gateway: 'apns', origin: 'https://127.0.0.1', reason: 'idle', wasOpen: true },
  ],
  job_failed: ['error', { kind: 'job_failed', job: 'deliver', notificationId: 'n', requestId: 'r', error }],
  queue_error: ['error', { kind: 'queue_error', message: 'connect ECONNREFUSED 127.0.0.1:6379' }],
  queue_away: ['error', { kind: 'queue_away', message: 'connect ECONNREFUSED 127.0.0.1:6379' }],
  geoip_loaded: [
    'info',
    { kind: 'geoip_loaded', databaseType: 'GeoLite2-City', builtAt: '2026-11-20T00:00:00.000Z' },
  ],
  geoip_unreadable: ['warn', { kind: 'geoip_unreadable', message: 'ENOENT: no such file or directory' }],
  queue_back: ['info', { kind: 'queue_back', durationMs: 5_000, errors: 3 }],
  tracing_error: ['warn', { kind: 'tracing_error', message: 'connect ECONNREFUSED 127.0.0.1:4318' }],
  worker_started: ['info', { kind: 'worker_started', queue: 'redis' }],
  webhook_attempted: ['debug', attempted('waiting')],
  channel_managed: ['debug', { kind: 'channel_managed', action: 'list', result: 'done', reason: null }],
  channel_broadcast: ['debug', broadcast('sent')],
  channels_collected: ['info', { kind: 'channels_collected', unneeded: 1, leftOver: 0 }],
  pruned: ['info', { kind: 'pruned', notifications: 1, slices: 2, opens: 3, receipts: 4, uniqueIds: 5 }],
  audiences_expired: ['info', { kind: 'audiences_expired', audiences: 1 }],
  deferred_rows_indexed: ['info', { kind: 'deferred_rows_indexed', devices: 1 }],
  bitmaps_built: ['debug', { kind: 'bitmaps_built', devices: 1 }],
} satisfies { [Kind in Observation['kind']]: [string, Extract<Observation, { kind: Kind }>] };

function batch(failed: number): Extract<Observation, { kind: 'batch_handled' }> {
  return { kind: 'batch_handled', requestId: 'r', stored: 998, refused: 2, failed };
}

function handled(status: number): Extract<Observation, { kind: 'request_handled' }> {
  return { kind: 'request_handled', requestId: 'r', method: 'GET', route: '/', status, durationMs: 1.5 };
}

function planned(lane: string): Extract<Observation, { kind: 'notification_planned' }> {
  return { kind: 'notification_planned', notificationId: 'n', requestId: 'r', devices: 10, slices: 1, lane };
}

function progress(lane: string): Extract<Observation, { kind: 'delivery_progress' }> {
  return {
    kind: 'delivery_progress',
    notificationId: 'n',
    requestId: 'r',
    lane,
    state: 'sending',
    devices: 10,
    done: 5,
    percent: 50,
    devicesPerSecond: 5,
  };
}

function away(condition: DatabaseCondition): Extract<Observation, { kind: 'database_away' }> {
  return { kind: 'database_away', condition, message: 'gone' };
}

function finished(outcome: string): Extract<Observation, { kind: 'push_finished' }> {
  const reason = outcome === 'accepted' ? null : 'BadTopic';
  return { kind: 'push_finished', notificationId: 'n', requestId: 'r', gateway: 'apns', outcome, reason };
}

function broadcast(state: 'sent' | 'rejected'): Extract<Observation, { kind: 'channel_broadcast' }> {
  return { kind: 'channel_broadcast', channelId: 'c', event: 'update', attempt: 1, state, reason: null };
}

function attempted(state: 'waiting' | 'failed'): Extract<Observation, { kind: 'webhook_attempted' }> {
  const event = { webhookId: 'w', type: 'notification.sent', attempt: 2 };
  return { kind: 'webhook_attempted', ...event, state, status: 503, error: null };
}

function ended(state: string): Extract<Observation, { kind: 'notification_ended' }> {
  return { kind: 'notification_ended', notificationId: 'n', requestId: 'r', state, reason: null };
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'carillon-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The log of the observations, as text. */
async function written(
  settings: Parameters<typeof createLog>[0],
  ...reported: readonly Observation[]
): Promise<string> {
  const file = path.join(directory, 'log');
  const descriptor = openSync(file, 'a');
  const { observe, close } = createLog(settings, () => undefined, descriptor);
  for (const observation of reported) observe(observation);
  await close();
  closeSync(descriptor);
  return readFileSync(file, 'utf8');
}

it.each(Object.values(observations))(
  'the log writes %s: $kind as one line of JSON',
  async (level, observation) => {
    const text = await written({ logLevel: 'trace', logFormat: 'json' }, observation);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    const line: unknown = JSON.parse(text);
    const { error: _error, ...fields } = { error: undefined, ...observation };
    expect(line).toMatchObject({ ...fields, level, msg: expect.stringMatching(/./) });
  },
);

it.each([
  ['warn', handled(503)],
  ['warn', batch(1)],
  ['debug', handled(201)],
  ['info', { ...handled(401), address: '10.0.0.7' }],
  ['warn', { ...observations.sign_in[1], result: 'unauthorized' }],
  ['debug', planned('direct')],
  ['debug', progress('direct')],
  ['warn', ended('failed')],
  ['debug', finished('rejected')],
  ['debug', finished('ambiguous')],
  ['trace', finished('no_token')],
  ['debug', { kind: 'database_error', condition: 'unreachable', message: 'one of many' }],
  ['debug', { ...observations.job_failed[1], condition: 'terminated' }],
] as const)('the log writes at level %s: %o', async (level, observation) => {
  const text = await written({ logLevel: 'trace', logFormat: 'json' }, observation);
  expect(JSON.parse(text)).toMatchObject({ level });
});

it('the log has a sentence for each kind of database outage', async () => {
  const conditions = ['unreachable', 'terminated', 'disk_full', 'too_many_connections'] as const;
  const text = await written({ logLevel: 'info', logFormat: 'json' }, ...conditions.map(away));
  const sentences = text
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line).msg);
  expect(sentences).toEqual([
    expect.stringContaining('the database is unreachable'),
    expect.stringContaining('lost the connections to the database'),
    expect.stringContaining('the disk of the database is full'),
    expect.stringContaining('max_connections'),
  ]);
});

it('the sentence of a failed job in the log says why it failed', async () => {
  const cause = new Error('relation "x"\n  does not exist');
  const text = await written(
    { logLevel: 'info', logFormat: 'json' },
    { ...observations.job_failed[1], error: cause },
  );
  expect(JSON.parse(text).msg).toBe('a job failed and will be retried: relation "x" does not exist');
});

it('the log has only the type, message, stack and causes of an error', async () => {
  const text = await written({ logLevel: 'info', logFormat: 'json' }, observations.job_failed[1]);
  const line: { error?: unknown } = JSON.parse(text);
  expect(line.error).toEqual({
    type: 'Error',
    message: 'broken',
    stack: expect.stringContaining('log.test.ts'),
    cause: { type: 'Error', message: 'deeper', stack: expect.stringContaining('Error: deeper') },
  });
  expect(text).not.toContain('0123abcdef');
  expect(text).not.toContain('secret');
});

it('the log follows causes that go in a circle only so far', async () => {
  const circular = new Error('round');
  circular.cause = circular;
  const text = await written(
    { logLevel: 'info', logFormat: 'json' },
    { kind: 'job_failed', job: 'plan', notificationId: 'n', requestId: 'r', error: circular },
  );
  expect(text.match(/"message":"round"/g)).toHaveLength(4);
});

it('the log leaves out what is below its level', async () => {
  const all = Object.values(observations).map(([, observation]) => observation);
  const text = await written({ logLevel: 'error', logFormat: 'json' }, ...all);
  const kinds = text.match(/(?<="kind":")\w+/g);
  expect(kinds).toEqual([
    'start_refused',
    'log_unwritable',
    'not_drained',
    'database_error',
    'database_away',
    'descriptors_used_up',
    'request_failed',
    'credentials_refused',
    'push_stopped_process',
    'route_paused',
    'job_failed',
    'queue_error',
    'queue_away',
  ]);
  expect(await written({ logLevel: 'silent', logFormat: 'json' }, ...all)).toBe(text);
});

it('the log is readable on a terminal', async () => {
  const text = await written(
    { logLevel: 'info', logFormat: 'pretty' },
    observations.worker_started[1],
    observations.job_failed[1],
  );
  expect(text).toContain('worker started');
  expect(text).toContain('"queue":"redis"');
  expect(text).toContain('Error: broken');
  expect(text).not.toContain('hostname');
});

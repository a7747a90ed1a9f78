import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../../src/process/log/log.ts';
import type { Observation } from '../../../src/observe.ts';
import { ROOT } from '../../docs/markdown.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';

const error = Object.assign(new Error('broken', { cause: new Error('deeper', { cause: 'not an error' }) }), {
  parameters: ['0123abcdef'],
  input: 'postgres://user:secret@host/db',
});

/** The kinds of observations by the level that a usual one is logged at. */
const USUAL = {
  error: `
    start_refused log_unwritable not_drained database_error database_away descriptors_used_up request_failed
    credentials_refused push_stopped_process route_paused job_failed queue_error queue_away`,
  warn: `
    waiting_for_database replica_away time_zones_unknown geoip_unreadable log_written_again few_descriptors
    little_memory connections_full proxy_not_trusted openid_failed tracing_error`,
  info: `
    server_listening metrics_listening console_listening draining stopped database_started database_back replica_used
    migrated geoip_loaded descriptors_free connections_free sign_in notification_planned delivery_progress
    slice_handed_on pushes_retried route_resumed session_opened session_closed queue_back worker_started
    channels_collected pruned audiences_expired deferred_rows_indexed`,
  debug: `
    request_handled batch_handled user_checked receipts_stored receipts_counted request_unreadable notification_ended
    wave_started slice_finished slice_recorded push_retried webhook_attempted channel_managed channel_broadcast
    bitmaps_built`,
  trace: 'push_request_sent push_request_ended push_finished',
};
const usual = Object.entries(USUAL).flatMap(([level, kinds]) =>
  kinds
    .trim()
    .split(/\s+/)
    .map((kind) => [level, kind] as const),
);

/** An observation with the fields on which levels and sentences depend, as they usually are. */
function observationOf(kind: string, fields: object = {}): Observation {
  const outcome = {
    result: 'signed_in',
    lane: 'bulk',
    state: 'sent',
    outcome: 'accepted',
    status: 404,
    failed: 0,
  };
  const failure = {
    ...(kind.endsWith('_failed') && { error }),
    ...(/^database_(away|back)$/.test(kind) && { condition: 'unreachable' }),
  };
  const observation = { kind, notificationId: 'n', requestId: 'r', ...outcome, ...failure, ...fields };
  if (!isObservation(observation)) throw new Error(`${kind} is not the kind of an observation`);
  return observation;
}

function isObservation(value: { kind: string }): value is Observation {
  return usual.some(([, kind]) => kind === value.kind);
}

const jobFailed = observationOf('job_failed');
const dir = useTemporaryDir();

/** The log of the observations, as text. */
async function written(
  settings: Parameters<typeof createLog>[0],
  ...reported: readonly Observation[]
): Promise<string> {
  const file = path.join(dir.path, 'log');
  const descriptor = openSync(file, 'a');
  const { observe, close } = createLog(settings, () => undefined, descriptor);
  for (const observation of reported) observe(observation);
  await close();
  closeSync(descriptor);
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  return text;
}

it('the kinds of the log are those of all observations', () => {
  const source = readFileSync(path.join(ROOT, 'src/observe.ts'), 'utf8');
  const kinds = [...source.matchAll(/\bkind: '(\w+)'(?:;| })/g)].map(([, kind = '']) => kind);
  expect(usual.map(([, kind]) => kind).toSorted()).toEqual(kinds.toSorted());
});

it.each(usual)('the log writes %s: %s as one line of JSON', async (level, kind) => {
  const text = await written({ logLevel: 'trace', logFormat: 'json' }, observationOf(kind));
  expect(text.trimEnd().split('\n')).toHaveLength(1);
  const { error: _error, ...fields } = { error: undefined, ...observationOf(kind) };
  expect(JSON.parse(text)).toMatchObject({ ...fields, level, msg: expect.stringMatching(/./) });
});

it('the log writes what an observation has besides numbers and texts', async () => {
  const reasons = { InternalServerError: 3, connection_closed: 1 };
  const retried = { kind: 'pushes_retried', gateway: 'apns', pushes: 4, reasons } as const;
  const text = await written({ logLevel: 'trace', logFormat: 'json' }, retried);
  expect(JSON.parse(text)).toMatchObject({ ...retried, level: 'info' });
});

it.each([
  ['warn', 'request_handled', { status: 503 }],
  ['debug', 'request_handled', { status: 201 }],
  ['info', 'request_handled', { status: 401, address: '10.0.0.7' }],
  ['warn', 'batch_handled', { failed: 1 }],
  ['warn', 'sign_in', { result: 'unauthorized' }],
  ['debug', 'notification_planned', { lane: 'direct' }],
  ['debug', 'delivery_progress', { lane: 'direct' }],
  ['warn', 'notification_ended', { state: 'failed' }],
  ['debug', 'push_finished', { outcome: 'rejected' }],
  ['debug', 'push_finished', { outcome: 'ambiguous' }],
  ['trace', 'push_finished', { outcome: 'no_token' }],
  ['debug', 'database_error', { condition: 'unreachable' }],
  ['debug', 'job_failed', { condition: 'terminated' }],
  ['warn', 'webhook_attempted', { state: 'failed' }],
  ['warn', 'channel_broadcast', { state: 'rejected' }],
])('the log writes at level %s: %s with %o', async (level, kind, fields) => {
  const text = await written({ logLevel: 'trace', logFormat: 'json' }, observationOf(kind, fields));
  expect(JSON.parse(text)).toMatchObject({ level });
});

it('the log has a sentence for each kind of database outage', async () => {
  const conditions = ['unreachable', 'terminated', 'disk_full', 'too_many_connections'] as const;
  const text = await written(
    { logLevel: 'info', logFormat: 'json' },
    ...conditions.map((condition) => observationOf('database_away', { condition })),
  );
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
    observationOf('job_failed', { error: cause }),
  );
  expect(JSON.parse(text).msg).toBe('a job failed and will be retried: relation "x" does not exist');
});

it('the log has only the type, message, stack and causes of an error', async () => {
  const text = await written({ logLevel: 'info', logFormat: 'json' }, jobFailed);
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
    observationOf('job_failed', { error: circular }),
  );
  expect(text.match(/"message":"round"/g)).toHaveLength(4);
});

it('the log leaves out what is below its level', async () => {
  const all = usual.map(([, kind]) => observationOf(kind));
  const text = await written({ logLevel: 'error', logFormat: 'json' }, ...all);
  expect(text.match(/(?<="kind":")\w+/g)).toEqual(USUAL.error.trim().split(/\s+/));
  expect(await written({ logLevel: 'silent', logFormat: 'json' }, ...all)).toBe('');
});

it('the log is readable on a terminal', async () => {
  const text = await written(
    { logLevel: 'info', logFormat: 'pretty' },
    observationOf('worker_started', { queue: 'redis' }),
    jobFailed,
  );
  expect(text).toContain('worker started');
  expect(text).toContain('"queue":"redis"');
  expect(text).toContain('Error: broken');
  expect(text).not.toContain('hostname');
});

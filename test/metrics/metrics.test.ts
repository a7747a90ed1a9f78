import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openCounter, openMetrics } from '../../src/metrics/metrics.ts';
import type { GaugeSamples } from '../../src/metrics/sampled-gauges.ts';
import { reasonLabel } from '../../src/metrics/reason-label.ts';
import type { Observation } from '../../src/observe.ts';

const SAMPLES: GaugeSamples = {
  queueJobs: { direct: 1, bulk: 2 },
  lagMs: 1_500,
  waves: { lagMs: 2_500, heldDevices: 70 },
  pool: { open: 5, idle: 3, waiting: 4 },
};

const apns = { gateway: 'apns', origin: 'https://api.push.apple.com' } as const;
const opened: Observation = { kind: 'session_opened', ...apns };
const closed: Observation = { kind: 'session_closed', ...apns, reason: 'idle', wasOpen: true };
const sent: Observation = { kind: 'push_request_sent', gateway: 'apns' };
const answered: Observation = {
  kind: 'push_request_ended',
  gateway: 'apns',
  answer: 'answered',
  durationMs: 20,
};
const attempted: Observation = {
  kind: 'webhook_attempted',
  webhookId: 'w',
  type: 'notification.sent',
  attempt: 1,
  state: 'waiting',
  status: null,
  error: 'timeout',
};
const call = { method: 'GET', route: '/v6/notifications/:id' };
const error = new Error('broken');

const OF = { notificationId: 'n', requestId: 'r' };

function settled(outcome: string, reason: string | null): Observation {
  return { kind: 'push_finished', ...OF, gateway: 'fcm', outcome, reason };
}

async function written(observations: readonly Observation[], samples = SAMPLES): Promise<string> {
  const metrics = openMetrics();
  for (const observation of observations) metrics.observe(observation);
  return metrics.write(samples);
}

describe('an observation', () => {
  test.each<[string, Observation[], string[]]>([
    [
      'a request counts by route, with its time',
      [{ kind: 'request_handled', requestId: 'r', ...call, status: 200, durationMs: 30 }],
      [
        'carillon_http_request_duration_seconds_bucket{le="0.025",method="GET",route="/v6/notifications/:id",status="200"} 0',
        'carillon_http_request_duration_seconds_bucket{le="0.05",method="GET",route="/v6/notifications/:id",status="200"} 1',
        'carillon_http_request_duration_seconds_count{method="GET",route="/v6/notifications/:id",status="200"} 1',
      ],
    ],
    [
      'receipts count when they are stored and when they are counted, by result',
      [
        { kind: 'receipts_stored', stored: 998, refused: 2 },
        { kind: 'receipts_counted', counted: 900, repeated: 90, ignored: 8 },
      ],
      [
        'carillon_receipts_total{result="stored"} 998',
        'carillon_receipts_total{result="refused"} 2',
        'carillon_receipts_counted_total{result="counted"} 900',
        'carillon_receipts_counted_total{result="repeated"} 90',
        'carillon_receipts_counted_total{result="ignored"} 8',
      ],
    ],
    [
      'a batch counts its notifications by result',
      [{ kind: 'batch_handled', requestId: 'r', stored: 997, refused: 2, failed: 1 }],
      [
        'carillon_batch_notifications_total{result="stored"} 997',
        'carillon_batch_notifications_total{result="refused"} 2',
        'carillon_batch_notifications_total{result="failed"} 1',
      ],
    ],
    [
      'a plan counts by lane, an end by state',
      [
        { kind: 'notification_planned', ...OF, devices: 9, slices: 1, lane: 'direct' },
        { kind: 'notification_ended', ...OF, state: 'failed', reason: 'no credentials' },
      ],
      [
        'carillon_notifications_planned_total{lane="direct"} 1',
        'carillon_notifications_ended_total{state="failed"} 1',
        'carillon_notifications_ended_total{state="sent"} 0',
      ],
    ],
    [
      'waves count by what is done',
      [{ kind: 'wave_started', ...OF, wave: 0, devices: 1, slices: 1, action: 'drop' }],
      ['carillon_waves_started_total{action="drop"} 1'],
    ],
    [
      'a slice counts with its time',
      [{ kind: 'slice_finished', ...OF, number: 0, devices: 1, durationMs: 70 }],
      [
        'carillon_slice_duration_seconds_bucket{le="0.05"} 0',
        'carillon_slice_duration_seconds_bucket{le="0.1"} 1',
        'carillon_slice_duration_seconds_sum 0.07',
      ],
    ],
    [
      'a push counts by outcome, a rejection with its reason',
      [
        settled('accepted', null),
        settled('accepted', null),
        settled('no_token', null),
        settled('ambiguous', 'ECONNRESET'),
        settled('rejected', 'INVALID_ARGUMENT'),
        settled('rejected', 'no_credentials'),
        settled('unregistered', 'UNREGISTERED'),
      ],
      [
        'carillon_pushes_total{gateway="fcm",outcome="accepted"} 2',
        'carillon_pushes_total{gateway="fcm",outcome="no_token"} 1',
        'carillon_pushes_total{gateway="fcm",outcome="ambiguous"} 1',
        'carillon_pushes_total{gateway="fcm",outcome="rejected",reason="INVALID_ARGUMENT"} 1',
        'carillon_pushes_total{gateway="fcm",outcome="rejected",reason="no_credentials"} 1',
        'carillon_pushes_total{gateway="fcm",outcome="unregistered",reason="UNREGISTERED"} 1',
        'carillon_pushes_total{gateway="fcm",platform="iOS",outcome="accepted"} 0',
        'carillon_pushes_total{gateway="apns",outcome="accepted"} 0',
      ],
    ],
    [
      'a retry counts by reason, a refusal by gateway',
      [
        { kind: 'push_retried', ...OF, gateway: 'apns', reason: 'TooManyRequests', attempt: 1 },
        { kind: 'credentials_refused', ...OF, gateway: 'apns', route: 'apns_production', reason: 'no' },
      ],
      [
        'carillon_push_retries_total{gateway="apns",reason="TooManyRequests"} 1',
        'carillon_credentials_refused_total{gateway="apns"} 1',
        'carillon_credentials_refused_total{gateway="fcm"} 0',
      ],
    ],
    [
      'streams are those in use now; an answer has its time, and only an answer',
      [
        sent,
        sent,
        sent,
        sent,
        answered,
        { kind: 'push_request_ended', gateway: 'apns', answer: 'ambiguous', durationMs: 20_000 },
      ],
      [
        'carillon_gateway_streams{gateway="apns"} 2',
        'carillon_gateway_streams{gateway="fcm"} 0',
        'carillon_gateway_answer_seconds_count{gateway="apns"} 1',
        'carillon_gateway_answer_seconds_sum{gateway="apns"} 0.02',
        'carillon_gateway_unanswered_total{gateway="apns",answer="ambiguous"} 1',
      ],
    ],
    [
      'sessions are those open now; one that never opened is a failure',
      [opened, opened, closed, { ...closed, wasOpen: false }],
      [
        'carillon_gateway_sessions{gateway="apns"} 1',
        'carillon_gateway_session_failures_total{gateway="apns"} 1',
      ],
    ],
    [
      'an attempt to send an event counts by what the event is afterwards',
      [attempted],
      [
        'carillon_webhook_attempts_total{state="waiting"} 1',
        'carillon_webhook_attempts_total{state="delivered"} 0',
      ],
    ],
    [
      'what was pruned counts by table',
      [{ kind: 'pruned', notifications: 1, slices: 2, opens: 3, receipts: 4, uniqueIds: 5 }],
      [
        'carillon_pruned_rows_total{table="delivery_slices"} 2',
        'carillon_pruned_rows_total{table="opens"} 3',
        'carillon_pruned_rows_total{table="receipt_marks"} 4',
        'carillon_pruned_rows_total{table="apns_unique_ids"} 5',
      ],
    ],
    [
      'errors of ours count by where they happened',
      [
        { kind: 'request_failed', requestId: 'r', method: 'GET', route: '/', error },
        { kind: 'job_failed', job: 'plan', ...OF, error },
        { kind: 'job_failed', job: 'plan', ...OF, error },
        { kind: 'queue_error', message: 'gone' },
      ],
      [
        'carillon_errors_total{where="request"} 1',
        'carillon_errors_total{where="job"} 2',
        'carillon_errors_total{where="queue"} 1',
        'carillon_errors_total{where="database"} 0',
      ],
    ],
    [
      'sampled gauges are shown',
      [],
      [
        'carillon_queue_jobs{lane="direct"} 1',
        'carillon_queue_jobs{lane="bulk"} 2',
        'carillon_delivery_lag_seconds 1.5',
        'carillon_wave_lag_seconds 2.5',
        'carillon_held_devices 70',
        'carillon_database_connections{state="in_use"} 2',
        'carillon_database_connections{state="idle"} 3',
        'carillon_database_waiting 4',
      ],
    ],
  ])('%s, in the metrics', async (_promise, observations, lines) => {
    const text = (await written(observations)).split('\n');
    expect(text).toEqual(expect.arrayContaining(lines));
  });

  test('an observation is not counted twice by a second scrape', async () => {
    const metrics = openMetrics();
    metrics.observe(settled('accepted', null));
    const line = 'carillon_pushes_total{gateway="fcm",outcome="accepted"} 1';
    expect(await metrics.write(SAMPLES)).toContain(`${line}\n`);
    expect(await metrics.write(SAMPLES)).toContain(`${line}\n`);
  });

  test('an observation is added to the last known counts of another thread', async () => {
    const metrics = openMetrics();
    const elsewhere = openCounter();
    metrics.observe(settled('accepted', null));
    for (let push = 0; push < 2; push++) elsewhere.observe(settled('accepted', null));
    const line = 'carillon_pushes_total{gateway="fcm",outcome="accepted"} 3';
    expect(await metrics.write(SAMPLES, [await elsewhere.read(SAMPLES)])).toContain(`${line}\n`);
    expect(await metrics.write(SAMPLES)).toContain(`${line}\n`);
  });

  test('a gauge that cannot be read has no sample, not even the last one', async () => {
    const metrics = openMetrics();
    await metrics.write(SAMPLES);
    const unknown = { queueJobs: undefined, lagMs: undefined, waves: undefined };
    const text = await metrics.write({ ...SAMPLES, ...unknown });
    expect(text).toContain('# TYPE carillon_delivery_lag_seconds gauge');
    expect(text).not.toMatch(/^carillon_delivery_lag_seconds/m);
    expect(text).not.toMatch(/^carillon_queue_jobs/m);
    expect(text).not.toMatch(/^carillon_(?:wave_lag_seconds|held_devices)/m);
  });
});

describe('the label of a reason', () => {
  const labels: [label: string, reasons: string[]][] = [
    ['http_error', ['HTTP 404', 'HTTP 502']],
    ['paused', ['route_paused']],
    ['access_token', ['access_token_refused', 'access_token_unavailable']],
    ['withdrawn', ['not_wanted']],
    ['refused_unprocessed', ['refused_by_goaway', 'refused_stream']],
    ['protocol_error', ['protocol_error', 'not_http2']],
    ['connection', ['connection_failed', 'closed_by_peer', 'answer_timeout', 'pool_closed']],
    ['other', ['HTTP 302', '', 'SOMETHING_NEW', 'constructor']],
    // Apple documents both.
    ...['BadEnvironmentKeyInToken', 'BadEnvironmentKeyIdInToken'].map((one): [string, string[]] => [
      one,
      [one],
    ]),
    ...['BadTopic', 'QUOTA_EXCEEDED', 'no_credentials', 'expired', 'no_free_stream', 'stream_reset'].map(
      (one): [string, string[]] => [one, [one]],
    ),
  ];
  test.each(labels)('the label %s stands for the reasons %j', (label, reasons) => {
    for (const reason of reasons) expect(reasonLabel(reason)).toBe(label);
  });

  test('the label of any other text that a gateway or a proxy may send is "other"', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
        expect(reasonLabel(`x${text}`)).toBe('other');
      }),
    );
  });
});

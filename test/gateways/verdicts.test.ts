import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Answered, AnswerHeaders } from '@carillon/http2-client';
import { apnsVerdict } from '../../src/gateways/apns/apns-verdict.ts';
import { fcmVerdict } from '../../src/gateways/fcm/fcm-verdict.ts';
import type { Verdict } from '../../src/gateways/gateway.ts';

const clock: Clock = () => new Date('2026-11-21T10:00:00Z');

function answered(status: number, body: string | object = '', headers: AnswerHeaders = {}): Answered {
  return { kind: 'answered', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function retry(
  reason: string,
  afterMs: number | null = null,
  scope: 'device' | 'project' = 'device',
): Verdict {
  return { kind: 'retry', reason, afterMs, scope };
}

function dead(reason: string, deadSince: Date | null = null): Verdict {
  return { kind: 'unregistered', reason, deadSince };
}

const refused = (reason: string): Verdict => ({ kind: 'credentials_refused', reason });
const rejected = (reason: string): Verdict => ({ kind: 'rejected', reason });

const unregistered = (timestamp: unknown) => ({ reason: 'Unregistered', timestamp });
const asking = (value: string) => ({ 'retry-after': value });

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const fcm = (errorCode: string): object => ({ '@type': FCM_ERROR, errorCode });
const violation = (field: string): object => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description: 'Invalid' }],
});
const error = (status: string, ...details: object[]): object => ({
  error: { code: 7, message: 'm', status, ...(details.length > 0 && { details }) },
});
const noProject = (reason: string): Verdict => ({
  kind: 'credentials_refused',
  reason,
  detail: `Google finds no such project or path: ${reason}`,
});

describe('APNs', () => {
  const words: [number, (reason: string) => Verdict, string[]][] = [
    [400, dead, ['BadDeviceToken', 'DeviceTokenNotForTopic']],
    [400, rejected, ['BadCollapseId', 'BadExpirationDate', 'BadMessageId', 'BadPriority', 'BadTopic']],
    [400, rejected, ['DuplicateHeaders', 'InvalidPushType', 'MissingDeviceToken', 'MissingTopic']],
    [400, rejected, ['PayloadEmpty', 'TopicDisallowed', 'SomethingNewFromApple', 'baddevicetoken']],
    [400, retry, ['IdleTimeout']],
    [403, refused, ['ExpiredProviderToken', 'BadCertificate', 'BadCertificateEnvironment', 'Forbidden']],
    [403, refused, ['InvalidProviderToken', 'MissingProviderToken', 'UnrelatedKeyIdInToken']],
    [403, refused, ['BadEnvironmentKeyIdInToken', 'BadEnvironmentKeyInToken', 'SomethingNewFromApple']],
    [404, rejected, ['BadPath']],
    [405, rejected, ['MethodNotAllowed']],
    [410, dead, ['Unregistered', 'ExpiredToken', 'SomethingNewFromApple']],
    [413, rejected, ['PayloadTooLarge']],
    [429, retry, ['SomethingNewFromApple', 'TooManyRequests']],
    [429, (reason) => retry(reason, null, 'project'), ['TooManyProviderTokenUpdates']],
    [500, retry, ['SomethingNewFromApple', 'InternalServerError']],
    [503, retry, ['ServiceUnavailable', 'Shutdown']],
  ];
  test.each(
    words.flatMap(([status, verdict, reasons]) => reasons.map((one) => [status, one, verdict] as const)),
  )('the answer %i %s of APNs has the right verdict', (status, reason, verdict) => {
    expect(apnsVerdict(answered(status, { reason }), clock)).toEqual(verdict(reason));
  });

  test.each<[string, Answered, Verdict]>([
    ['success', answered(200), { kind: 'accepted' }],
    [
      'a dead token with the time of its death, in milliseconds',
      answered(410, unregistered(1_795_255_200_123)),
      dead('Unregistered', new Date(1_795_255_200_123)),
    ],
    ['a time that no date can hold', answered(410, unregistered(1e300)), dead('Unregistered')],
    ['a time that is not a number', answered(410, unregistered('x')), dead('Unregistered')],
    ['a body that was cut off', answered(410, '{"reas'), dead('HTTP 410')],
    ['a gateway error in HTML', answered(502, '<html>Bad Gateway</html>'), retry('HTTP 502')],
    ['a 503 that asks for time', answered(503, { reason: 'Shutdown' }, asking('5')), retry('Shutdown', 5000)],
    [
      'a 429 with a date',
      answered(429, { reason: 'TooManyRequests' }, asking('Sat, 21 Nov 2026 10:01:00 GMT')),
      retry('TooManyRequests', 60_000),
    ],
    ['a refusal without a reason', answered(400), rejected('HTTP 400')],
  ])('an answer of APNs has the right verdict: %s', (_name, answer, verdict) => {
    expect(apnsVerdict(answer, clock)).toEqual(verdict);
  });
});

describe('FCM', () => {
  const minute = 60_000;
  const strangers = [null, 7, { '@type': 1 }, fcm('UNREGISTERED')];

  test.each<[string, number, string | object, Verdict]>([
    ['success', 200, '{"name":"projects/p/messages/1"}', { kind: 'accepted' }],
    ['UNREGISTERED', 404, error('NOT_FOUND', fcm('UNREGISTERED')), dead('UNREGISTERED')],
    ['NOT_FOUND alone: a wrong project, not a dead token', 404, error('NOT_FOUND'), noProject('NOT_FOUND')],
    ['NOT_FOUND with other details', 404, error('NOT_FOUND', { '@type': 'x' }), noProject('NOT_FOUND')],
    ['NOT_FOUND of FCM without a code', 404, error('NOT_FOUND', { '@type': FCM_ERROR }), dead('NOT_FOUND')],
    ['SENDER_ID_MISMATCH', 403, error('X', fcm('SENDER_ID_MISMATCH')), dead('SENDER_ID_MISMATCH')],
    [
      'THIRD_PARTY_AUTH_ERROR',
      401,
      error('X', fcm('THIRD_PARTY_AUTH_ERROR')),
      rejected('THIRD_PARTY_AUTH_ERROR'),
    ],
    ['401 without FcmError', 401, error('UNAUTHENTICATED'), refused('UNAUTHENTICATED')],
    ['403 without FcmError', 403, error('PERMISSION_DENIED'), refused('PERMISSION_DENIED')],
    ['403 without a body', 403, '', refused('HTTP 403')],
    ['QUOTA_EXCEEDED', 429, error('X', fcm('QUOTA_EXCEEDED')), retry('QUOTA_EXCEEDED', minute, 'project')],
    ['429 alone', 429, error('RESOURCE_EXHAUSTED'), retry('RESOURCE_EXHAUSTED', minute, 'project')],
    ['429 without a body', 429, '', retry('HTTP 429', minute, 'project')],
    ['INTERNAL', 500, error('INTERNAL', fcm('INTERNAL')), retry('INTERNAL')],
    ['UNAVAILABLE', 503, error('UNAVAILABLE', fcm('UNAVAILABLE')), retry('UNAVAILABLE')],
    ['a 502 in HTML', 502, '<!DOCTYPE html><title>502</title>', retry('HTTP 502')],
    ['a 404 in HTML: a wrong address, not a dead token', 404, '<html>', noProject('HTTP 404')],
    ['a word of FCM that is new, with 400', 400, error('X', fcm('NEW')), rejected('NEW')],
    ['a word of FCM that is new, with 403', 403, error('X', fcm('NEW')), refused('NEW')],
    ['a word of FCM that is new, with 404', 404, error('X', fcm('NEW')), rejected('NEW')],
    ['a word of FCM that is new, with 503', 503, error('X', fcm('NEW')), retry('NEW')],
    ['details that are not a list', 400, { error: { status: 'INTERNAL', details: 7 } }, retry('INTERNAL')],
    ['strangers in the details', 404, { error: { details: strangers } }, dead('UNREGISTERED')],
  ])('an answer of FCM has the right verdict: %s', (_name, status, body, verdict) => {
    expect(fcmVerdict(answered(status, body), clock)).toEqual(verdict);
  });

  const ARGUMENT = 'INVALID_ARGUMENT';
  test.each<[string, object[], Verdict]>([
    ['the token', [fcm(ARGUMENT), violation('message.token')], dead(ARGUMENT)],
    ['the installation id', [fcm(ARGUMENT), violation('message.fid')], dead(ARGUMENT)],
    ['the token, without FcmError', [violation('message.token')], dead(ARGUMENT)],
    ['the data', [fcm(ARGUMENT), violation('message.data[0].value')], rejected(ARGUMENT)],
    ['nothing', [fcm(ARGUMENT)], rejected(ARGUMENT)],
  ])('an INVALID_ARGUMENT of FCM that blames %s has the right verdict', (_what, details, verdict) => {
    expect(fcmVerdict(answered(400, error(ARGUMENT, ...details)), clock)).toEqual(verdict);
  });

  test.each<[string, typeof dead]>([
    ['The registration token is not a valid FCM registration token', dead],
    ['The registration token is not a valid FCM registration token.', dead],
    ['The Registration Token is not a valid FCM registration token: x', dead],
    ['The fid is not a valid Firebase installation ID', dead],
    ['The Firebase installation ID is not valid.', dead],
    ['Request contains an invalid argument.', rejected],
    ['Android message is too big', rejected],
    ['Invalid data payload key: from', rejected],
    ['Invalid JSON payload received. Unknown name "x": Cannot find field.', rejected],
    ["Invalid value at 'message.data[0].value': The registration token is not a valid FCM token", rejected],
  ])(
    'an INVALID_ARGUMENT of FCM that says “%s” blames the token only if no field is named',
    (message, verdict) => {
      const saying = (...details: object[]) => ({ error: { status: ARGUMENT, message, details } });
      expect(fcmVerdict(answered(400, saying(fcm(ARGUMENT))), clock)).toEqual(verdict(ARGUMENT));
      expect(fcmVerdict(answered(400, saying(violation('message.data'))), clock)).toEqual(rejected(ARGUMENT));
    },
  );

  test.each<[string, number, string, Verdict]>([
    ['seconds', 503, '30', retry('UNAVAILABLE', 30_000)],
    ['a date', 503, 'Sat, 21 Nov 2026 10:00:45 GMT', retry('UNAVAILABLE', 45_000)],
    ['seconds, for the whole project', 429, '90', retry('QUOTA_EXCEEDED', 90_000, 'project')],
  ])('a wait that FCM asks for in Retry-After is honored: %s', (_name, status, value, verdict) => {
    const body = error('X', fcm(status === 429 ? 'QUOTA_EXCEEDED' : 'UNAVAILABLE'));
    expect(fcmVerdict(answered(status, body, { 'retry-after': value }), clock)).toEqual(verdict);
  });
});

test.each([408, 421, 425])(
  'a push that a proxy answers with %i is sent again, by either gateway',
  (status) => {
    for (const body of ['', '<html>']) {
      const answer = answered(status, body, { 'retry-after': '3' });
      expect(apnsVerdict(answer, clock)).toEqual(retry(`HTTP ${status}`, 3_000));
      expect(fcmVerdict(answer, clock)).toEqual(retry(`HTTP ${status}`, 3_000));
    }
  },
);

test('no answer makes a verdict throw, and only a 200 counts as success', () => {
  const anyBody = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        reason: fc.jsonValue(),
        timestamp: fc.jsonValue(),
        error: fc.oneof(
          fc.jsonValue(),
          fc.record({ status: fc.jsonValue(), details: fc.array(fc.jsonValue()) }),
          fc.record({
            details: fc.array(fc.record({ '@type': fc.string(), fieldViolations: fc.jsonValue() })),
          }),
        ),
      })
      .map((value) => JSON.stringify(value)),
  );
  const anyHeaders = fc.dictionary(fc.constantFrom('retry-after', 'retry-after', 'x'), fc.string());
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), anyHeaders, anyBody, (status, headers, body) => {
      for (const verdict of [
        apnsVerdict(answered(status, body, headers), clock),
        fcmVerdict(answered(status, body, headers), clock),
      ]) {
        expect(verdict.kind === 'accepted').toBe(status === 200);
        if (verdict.kind !== 'accepted') expect(verdict.reason).not.toBe('');
      }
    }),
    { numRuns: 500 },
  );
});

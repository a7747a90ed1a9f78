import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Answered, AnswerHeaders } from '@carillon/http2-client';
import { apnsVerdict } from '../../src/gateways/apns/apns-verdict.ts';
import { fcmVerdict } from '../../src/gateways/fcm/fcm-verdict.ts';
import type { Verdict } from '../../src/gateways/gateway.ts';

const clock: Clock = () => new Date('2026-11-21T10:00:00Z');

function answered(status: number, headers: AnswerHeaders, body: string): Answered {
  return { kind: 'answered', status, headers, body };
}

function retry(reason: string, afterMs: number | null, scope: 'device' | 'project' = 'device'): Verdict {
  return { kind: 'retry', reason, afterMs, scope };
}

function dead(reason: string, deadSince: Date | null = null): Verdict {
  return { kind: 'unregistered', reason, deadSince };
}

function refused(reason: string): Verdict {
  return { kind: 'credentials_refused', reason };
}

function noProject(reason: string): Verdict {
  const detail = `Google finds no such project or path: ${reason}`;
  return { kind: 'credentials_refused', reason, detail };
}

function fcmError(errorCode: string): object {
  return { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode };
}

function badRequest(field: string): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field, description: 'Invalid' }],
  };
}

function fcmBody(code: number, status: string, ...details: object[]): string {
  return fcmBodySaying('m', code, status, ...details);
}

function fcmBodySaying(message: string, code: number, status: string, ...details: object[]): string {
  return JSON.stringify({
    error: { code, message, status, ...(details.length > 0 && { details }) },
  });
}

describe('APNs', () => {
  test.each<[number, string, Verdict]>([
    [400, 'BadDeviceToken', dead('BadDeviceToken')],
    [400, 'DeviceTokenNotForTopic', dead('DeviceTokenNotForTopic')],
    ...[
      'BadCollapseId',
      'BadExpirationDate',
      'BadMessageId',
      'BadPriority',
      'BadTopic',
      'DuplicateHeaders',
      'InvalidPushType',
      'MissingDeviceToken',
      'MissingTopic',
      'PayloadEmpty',
      'TopicDisallowed',
      'SomethingNewFromApple',
      'baddevicetoken',
    ].map((reason): [number, string, Verdict] => [400, reason, { kind: 'rejected', reason }]),
    [400, 'IdleTimeout', retry('IdleTimeout', null)],
    ...[
      'ExpiredProviderToken',
      'BadCertificate',
      'BadCertificateEnvironment',
      'Forbidden',
      'InvalidProviderToken',
      'MissingProviderToken',
      'UnrelatedKeyIdInToken',
      'BadEnvironmentKeyIdInToken',
      'BadEnvironmentKeyInToken',
      'SomethingNewFromApple',
    ].map((reason): [number, string, Verdict] => [403, reason, { kind: 'credentials_refused', reason }]),
    [404, 'BadPath', { kind: 'rejected', reason: 'BadPath' }],
    [405, 'MethodNotAllowed', { kind: 'rejected', reason: 'MethodNotAllowed' }],
    [410, 'Unregistered', dead('Unregistered')],
    [410, 'ExpiredToken', dead('ExpiredToken')],
    [413, 'PayloadTooLarge', { kind: 'rejected', reason: 'PayloadTooLarge' }],
    [410, 'SomethingNewFromApple', dead('SomethingNewFromApple')],
    [429, 'SomethingNewFromApple', retry('SomethingNewFromApple', null)],
    [500, 'SomethingNewFromApple', retry('SomethingNewFromApple', null)],
    [429, 'TooManyRequests', retry('TooManyRequests', null)],
    [429, 'TooManyProviderTokenUpdates', retry('TooManyProviderTokenUpdates', null, 'project')],
    [500, 'InternalServerError', retry('InternalServerError', null)],
    [503, 'ServiceUnavailable', retry('ServiceUnavailable', null)],
    [503, 'Shutdown', retry('Shutdown', null)],
  ])('the answer %i %s of APNs has the right verdict', (status, reason, verdict) => {
    expect(apnsVerdict(answered(status, {}, JSON.stringify({ reason })), clock)).toEqual(verdict);
  });

  test.each<[string, number, Record<string, string>, string, Verdict]>([
    ['success', 200, {}, '', { kind: 'accepted' }],
    [
      'a dead token with the time of its death, in milliseconds',
      410,
      {},
      '{"reason":"Unregistered","timestamp":1795255200123}',
      dead('Unregistered', new Date(1_795_255_200_123)),
    ],
    [
      'a time that no date can hold',
      410,
      {},
      '{"reason":"Unregistered","timestamp":1e300}',
      dead('Unregistered'),
    ],
    [
      'a time that is not a number',
      410,
      {},
      '{"reason":"Unregistered","timestamp":"x"}',
      dead('Unregistered'),
    ],
    ['a body that was cut off', 410, {}, '{"reas', dead('HTTP 410')],
    ['a gateway error in HTML', 502, {}, '<html>Bad Gateway</html>', retry('HTTP 502', null)],
    [
      'a 503 that asks for time',
      503,
      { 'retry-after': '5' },
      '{"reason":"Shutdown"}',
      retry('Shutdown', 5000),
    ],
    [
      'a 429 with a date',
      429,
      { 'retry-after': 'Sat, 21 Nov 2026 10:01:00 GMT' },
      '{"reason":"TooManyRequests"}',
      retry('TooManyRequests', 60_000),
    ],
    ['a refusal without a reason', 400, {}, '', { kind: 'rejected', reason: 'HTTP 400' }],
  ])('an answer of APNs has the right verdict: %s', (_name, status, headers, body, verdict) => {
    expect(apnsVerdict(answered(status, headers, body), clock)).toEqual(verdict);
  });
});

describe('FCM', () => {
  const minute = 60_000;

  test.each<[string, number, string, Verdict]>([
    ['success', 200, '{"name":"projects/p/messages/1"}', { kind: 'accepted' }],
    ['UNREGISTERED', 404, fcmBody(404, 'NOT_FOUND', fcmError('UNREGISTERED')), dead('UNREGISTERED')],
    [
      'NOT_FOUND without details: a wrong project, not a dead token',
      404,
      fcmBody(404, 'NOT_FOUND'),
      noProject('NOT_FOUND'),
    ],
    [
      'NOT_FOUND with details of another kind',
      404,
      fcmBody(404, 'NOT_FOUND', { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'X' }),
      noProject('NOT_FOUND'),
    ],
    [
      'NOT_FOUND of FCM without a code',
      404,
      fcmBody(404, 'NOT_FOUND', { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError' }),
      dead('NOT_FOUND'),
    ],
    [
      'SENDER_ID_MISMATCH',
      403,
      fcmBody(403, 'PERMISSION_DENIED', fcmError('SENDER_ID_MISMATCH')),
      dead('SENDER_ID_MISMATCH'),
    ],
    [
      'INVALID_ARGUMENT that blames the token',
      400,
      fcmBody(400, 'INVALID_ARGUMENT', fcmError('INVALID_ARGUMENT'), badRequest('message.token')),
      dead('INVALID_ARGUMENT'),
    ],
    [
      'INVALID_ARGUMENT that blames the installation id',
      400,
      fcmBody(400, 'INVALID_ARGUMENT', fcmError('INVALID_ARGUMENT'), badRequest('message.fid')),
      dead('INVALID_ARGUMENT'),
    ],
    [
      'INVALID_ARGUMENT that blames the token, without FcmError',
      400,
      fcmBody(400, 'INVALID_ARGUMENT', badRequest('message.token')),
      dead('INVALID_ARGUMENT'),
    ],
    [
      'INVALID_ARGUMENT that blames the data',
      400,
      fcmBody(400, 'INVALID_ARGUMENT', fcmError('INVALID_ARGUMENT'), badRequest('message.data[0].value')),
      { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
    ],
    [
      'INVALID_ARGUMENT that blames nothing',
      400,
      fcmBody(400, 'INVALID_ARGUMENT', fcmError('INVALID_ARGUMENT')),
      { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
    ],
    [
      'THIRD_PARTY_AUTH_ERROR',
      401,
      fcmBody(401, 'UNAUTHENTICATED', fcmError('THIRD_PARTY_AUTH_ERROR')),
      { kind: 'rejected', reason: 'THIRD_PARTY_AUTH_ERROR' },
    ],
    ['401 without FcmError', 401, fcmBody(401, 'UNAUTHENTICATED'), refused('UNAUTHENTICATED')],
    ['403 without FcmError', 403, fcmBody(403, 'PERMISSION_DENIED'), refused('PERMISSION_DENIED')],
    ['403 without a body', 403, '', refused('HTTP 403')],
    [
      'QUOTA_EXCEEDED',
      429,
      fcmBody(429, 'RESOURCE_EXHAUSTED', fcmError('QUOTA_EXCEEDED')),
      retry('QUOTA_EXCEEDED', minute, 'project'),
    ],
    [
      '429 without details',
      429,
      fcmBody(429, 'RESOURCE_EXHAUSTED'),
      retry('RESOURCE_EXHAUSTED', minute, 'project'),
    ],
    ['429 without a body', 429, '', retry('HTTP 429', minute, 'project')],
    ['INTERNAL', 500, fcmBody(500, 'INTERNAL', fcmError('INTERNAL')), retry('INTERNAL', null)],
    ['UNAVAILABLE', 503, fcmBody(503, 'UNAVAILABLE', fcmError('UNAVAILABLE')), retry('UNAVAILABLE', null)],
    ['a 502 in HTML', 502, '<!DOCTYPE html><title>502</title>', retry('HTTP 502', null)],
    ['a 404 in HTML: a wrong address, not a dead token', 404, '<html>', noProject('HTTP 404')],
    ...[
      'The registration token is not a valid FCM registration token',
      'The registration token is not a valid FCM registration token.',
      'The Registration Token is not a valid FCM registration token: x',
      'The fid is not a valid Firebase installation ID',
      'The Firebase installation ID is not valid.',
    ].flatMap((message): [string, number, string, Verdict][] => [
      [
        `INVALID_ARGUMENT that says “${message}”`,
        400,
        fcmBodySaying(message, 400, 'INVALID_ARGUMENT', fcmError('INVALID_ARGUMENT')),
        dead('INVALID_ARGUMENT'),
      ],
      [
        `INVALID_ARGUMENT that says “${message}” and blames the data`,
        400,
        fcmBodySaying(message, 400, 'INVALID_ARGUMENT', badRequest('message.data')),
        { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
      ],
    ]),
    ...[
      'Request contains an invalid argument.',
      'Android message is too big',
      'Invalid data payload key: from',
      'Invalid JSON payload received. Unknown name "x": Cannot find field.',
      "Invalid value at 'message.data[0].value': The registration token is not a valid FCM registration token",
    ].map((message): [string, number, string, Verdict] => [
      `INVALID_ARGUMENT that says “${message}”`,
      400,
      fcmBodySaying(message, 400, 'INVALID_ARGUMENT', fcmError('INVALID_ARGUMENT')),
      { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
    ]),
    [
      'a word of FCM that is new, with 400',
      400,
      fcmBody(400, 'X', fcmError('SOMETHING_NEW')),
      { kind: 'rejected', reason: 'SOMETHING_NEW' },
    ],
    [
      'a word of FCM that is new, with 403',
      403,
      fcmBody(403, 'X', fcmError('SOMETHING_NEW')),
      refused('SOMETHING_NEW'),
    ],
    [
      'a word of FCM that is new, with 404',
      404,
      fcmBody(404, 'X', fcmError('SOMETHING_NEW')),
      { kind: 'rejected', reason: 'SOMETHING_NEW' },
    ],
    [
      'a word of FCM that is new, with 503',
      503,
      fcmBody(503, 'X', fcmError('SOMETHING_NEW')),
      retry('SOMETHING_NEW', null),
    ],
    [
      'details that are not a list',
      400,
      '{"error":{"status":"INVALID_ARGUMENT","details":7}}',
      {
        kind: 'rejected',
        reason: 'INVALID_ARGUMENT',
      },
    ],
    [
      'details with strangers among them',
      404,
      '{"error":{"status":"NOT_FOUND","details":[null,7,{"@type":1},' +
        '{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}',
      dead('UNREGISTERED'),
    ],
  ])('an answer of FCM has the right verdict: %s', (_name, status, text, verdict) => {
    expect(fcmVerdict(answered(status, {}, text), clock)).toEqual(verdict);
  });

  test.each<[string, number, string, Verdict]>([
    ['seconds', 503, '30', retry('UNAVAILABLE', 30_000)],
    ['a date', 503, 'Sat, 21 Nov 2026 10:00:45 GMT', retry('UNAVAILABLE', 45_000)],
    ['seconds, for the whole project', 429, '90', retry('QUOTA_EXCEEDED', 90_000, 'project')],
  ])('a wait that FCM asks for in Retry-After is honored: %s', (_name, status, value, verdict) => {
    const errorCode = status === 429 ? 'QUOTA_EXCEEDED' : 'UNAVAILABLE';
    const text = fcmBody(status, 'X', fcmError(errorCode));
    expect(fcmVerdict(answered(status, { 'retry-after': value }, text), clock)).toEqual(verdict);
  });
});

test.each([408, 421, 425])(
  'a push that a proxy answers with %i is sent again, by either gateway',
  (status) => {
    for (const body of ['', '<html>']) {
      const answer = answered(status, { 'retry-after': '3' }, body);
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
        apnsVerdict(answered(status, headers, body), clock),
        fcmVerdict(answered(status, headers, body), clock),
      ]) {
        expect(verdict.kind === 'accepted').toBe(status === 200);
        if (verdict.kind !== 'accepted') expect(verdict.reason).not.toBe('');
      }
    }),
    { numRuns: 500 },
  );
});

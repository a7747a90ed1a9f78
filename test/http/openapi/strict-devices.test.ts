/**
 * The document is as strict as the server about devices, users and events. What JSON Schema cannot express is listed
 * below, and is not among these bodies.
 */
import { describe, expect, test } from 'vitest';
import { parseRegistrationBody, parseUpdateBody } from '../../../src/devices/device-schema.ts';
import { parseEventsBody } from '../../../src/devices/events/record-events.ts';
import { parseUserBody } from '../../../src/devices/users.ts';
import { parseJson } from '../../../src/json/lossless.ts';
import { anyCustom, anyEvents, anyRegistration, anyUpdate } from './device-bodies.ts';
import { faultsBy } from './document.ts';
import { countAccepted, isAcceptedBy, RUNS } from './judged.ts';

const device = (sent: unknown): object => ({ device: sent });
const documented = (name: string, body: unknown): string[] =>
  faultsBy({ $ref: `#/components/schemas/${name}` }, JSON.parse(JSON.stringify(body)));

describe('The document and the server judge alike', () => {
  test.each([
    ['registration', anyRegistration.map(device), parseRegistrationBody, 'RegisterDevice'],
    ['update', anyUpdate.map(device), parseUpdateBody, 'UpdateDevice'],
    ['attributes of a user', anyCustom.map((custom) => ({ user: { custom } })), parseUserBody, 'UpdateUser'],
    ['events', anyEvents.map((events) => ({ events })), parseEventsBody, 'ReportEvents'],
  ] as const)('the document and the server judge any %s alike', (_what, bodies, parse, schema) => {
    const accepted = countAccepted(
      bodies,
      (body) => isAcceptedBy(parse, body),
      (body) => documented(schema, body),
    );
    expect(accepted).toBeGreaterThan(RUNS / 10);
  });
});

const registered = (attributes: object): string =>
  JSON.stringify({ device: { platform: 'Android', push_token: 'a', ...attributes } });

test.each(
  [
    [
      '2^63, which a double cannot tell from 2^63 - 1',
      registered({ custom: { a: { type: 'integer', value: 0 } } }),
    ],
  ].map(([why = '', body = '']) => [why, body.replace('"value":0', '"value":9223372036854775808')]),
)('JSON Schema cannot express, or not usefully: %s', (_why, body) => {
  expect(() => parseRegistrationBody(parseJson(body))).toThrow();
  expect(faultsBy({ $ref: '#/components/schemas/RegisterDevice' }, JSON.parse(body))).toEqual([]);
});

/** The examples of the RFCs, byte for byte. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Opened, openMessage, openRecord, readCodedBody, readMessage } from '../../src/web/decrypt.ts';
import { createVapid } from '../../src/web/vapid.ts';

/** Reads and opens a push message. */
const open = (body: Buffer): Opened => {
  const read = readMessage(body);
  return 'fault' in read ? read : openMessage(read, message.keys);
};

const bytes = (base64url: string): Buffer => Buffer.from(base64url, 'base64url');

/** RFC 8291, section 5 and appendix A. */
const message = {
  body: bytes(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  ),
  keys: {
    privateKey: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  },
};

/** RFC 8188, 3.1. */
const walrus = bytes('I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg');
const walrusKey = bytes('yqdlZ-tYemfogSmv7Ws5PQ');

describe('the examples of RFC 8188', () => {
  test('the body of RFC 8188, 3.1 opens with its key', () => {
    const coded = readCodedBody(walrus);
    expect(coded && openRecord(coded, walrusKey)).toEqual({ text: 'I am the walrus' });
  });

  test('the body of RFC 8188, 3.2 has two records of 25 bytes', () => {
    const body = bytes(
      'uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA',
    );
    const coded = readCodedBody(body);
    expect(coded).toMatchObject({ recordSize: 25, keyId: Buffer.from('a1') });
    expect(coded?.records).toHaveLength(2 * 25);
  });
});

describe('the example of RFC 8291', () => {
  test('the message of RFC 8291 opens with the keys of its browser', () => {
    expect(open(message.body)).toEqual({
      text: 'When I grow up, I want to be a watermelon',
    });
  });

  test.each<[string, Buffer, string]>([
    ['cut within its header', message.body.subarray(0, 20), 'the body is shorter than its header'],
    ['cut within its key', message.body.subarray(0, 60), 'the body is shorter than its header'],
    ['without a record', message.body.subarray(0, 86), 'the record is too short'],
    [
      'that is cut',
      message.body.subarray(0, -1),
      'the body does not decrypt with the keys of the subscription',
    ],
    ['with a key of another length', walrus, 'the key in the body has 0 bytes, not 65'],
  ])('a message %s does not open', (_name, body, fault) => {
    expect(open(body)).toEqual({ fault });
  });

  test('a message with one byte changed does not open, but for its record size', () => {
    const changed = fc.integer({ min: 0, max: message.body.length - 1 }).filter((at) => at < 16 || at > 19);
    fc.assert(
      fc.property(changed, fc.integer({ min: 1, max: 255 }), (at, bits) => {
        const body = Buffer.from(message.body);
        body.writeUInt8(body.readUInt8(at) ^ bits, at);
        expect(open(body)).toEqual({ fault: expect.any(String) });
      }),
    );
  });

  test('a message whose key is not on the curve does not open', () => {
    const body = Buffer.from(message.body);
    body.writeUInt8(body.readUInt8(85) ^ 1, 85);
    expect(open(body)).toEqual({ fault: 'the key in the body is not on the curve' });
  });
});

describe('the example of RFC 8292', () => {
  const authorization =
    'vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs';
  const expiry = 1_453_523_768;
  const check = (at: number, origin = 'https://push.example.net'): unknown =>
    createVapid(() => new Date(at * 1000)).check(authorization, origin);

  test('the token of RFC 8292 is valid for its origin in the 24 hours before it expires', () => {
    const sender = { subject: 'mailto:push@example.com' };
    expect(check(expiry - 1)).toMatchObject(sender);
    expect(check(expiry - 86_400)).toMatchObject(sender);
    expect(check(expiry)).toMatchObject({ reason: 'BadVapid', message: 'The token has expired.' });
    expect(check(expiry - 86_401)).toMatchObject({ message: 'The token is valid for over 24 hours.' });
    expect(check(expiry - 1, 'https://push.example.net:8443')).toMatchObject({
      message: 'The audience is not https://push.example.net:8443.',
    });
  });
});

/**
 * Compiles a push message for iPhones that are reached through FCM: Apple's headers and payload in the block `apns`
 * (`ApnsConfig` of FCM HTTP v1). Firebase adds the topic and its own key for Apple.
 */
import { apnsBody, compileApns } from '../apns/compile-apns.ts';
import type { PushMessage } from '../gateway.ts';
import { httpsAddress, type Payload, PAYLOAD_BYTES_MAX, showsText } from '../payload.ts';

/** @param own the payload of a recipient that has one of its own. @returns undefined if it is larger than Apple takes */
export type BlockForIphones = (own?: Payload) => string | undefined;

/** @returns a function that makes the JSON of the block */
export function compileForIphones(message: PushMessage): BlockForIphones {
  const shared = { ...message, payload: withMutableImage(message.payload) };
  const { headers, body } = compileApns(shared, '');
  const names = headers.flatMap((name, index) =>
    index % 2 === 1 || name === 'apns-topic' ? [] : [[name, headers[index + 1]] as const],
  );
  const headersText = JSON.stringify(Object.fromEntries(names));
  const block = (payload: Buffer, { image }: Payload): string | undefined => {
    const address = httpsAddress(image);
    const options = address === undefined ? '' : `,"fcm_options":{"image":${JSON.stringify(address)}}`;
    // Firebase passes its options to the app within the payload.
    if (payload.length + Buffer.byteLength(options) > PAYLOAD_BYTES_MAX) return undefined;
    return `"apns":{"headers":${headersText},"payload":${payload.toString()}${options}}`;
  };
  const whole = block(body, shared.payload);
  return (own) => (own === undefined ? whole : block(apnsBody(message, withMutableImage(own)), own));
}

/** Firebase's helper of the app loads the picture only if iOS lets the app change the push. */
function withMutableImage(payload: Payload): Payload {
  if (httpsAddress(payload.image) === undefined || !showsText(payload)) return payload;
  return { mutable_content: true, ...payload };
}

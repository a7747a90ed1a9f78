import { errorCode, ProtocolError } from './protocol.ts';

/**
 * How many frames a peer may send that carry nothing: PING, SETTINGS, unknown ones, PRIORITY, DATA without a byte,
 * windows that let nothing through, interim answers, whatever is for a stream that has ended. Each is legal, and
 * a few come with every answer; without end they only keep us busy, and those to be acknowledged fill our memory
 * where the peer does not read (CVE-2019-9512, 9515 and 9518, CVE-2024-27316).
 *
 * nghttp2 gives a peer up at 1,000 acknowledgements that wait to be sent, and at 1,000 streams that are reset, of which
 * it forgives 33 a second; Go's server gives up at 10,000 control frames that wait. We count these frames whether or not
 * they wait, so the limit is the larger one, and more is forgiven. To read 10,000 takes some 10 ms, and their
 * acknowledgements take 170 KB where the peer does not read.
 */
const FRAMES_MAX = 10_000;
const FORGIVEN_A_SECOND = 1_000;
/** So a peer may send a PING, windows and interim answers with each answer, at any rate. */
const FORGIVEN_AN_ANSWER = 32;

export class FrameBudget {
  #left = FRAMES_MAX;
  #forgivenAt = performance.now();

  /** @throws {ProtocolError} ENHANCE_YOUR_CALM where there have been too many */
  spend(frames = 1): void {
    this.#left -= frames;
    if (this.#left < 0) this.#forgiveOrThrow();
  }

  /** An answer has come. */
  earn(): void {
    this.#left = Math.min(this.#left + FORGIVEN_AN_ANSWER, FRAMES_MAX);
  }

  /** Time is only looked at here, so that spending is a subtraction. */
  #forgiveOrThrow(): void {
    const now = performance.now();
    const forgiven = ((now - this.#forgivenAt) / 1_000) * FORGIVEN_A_SECOND;
    this.#left = Math.min(this.#left + forgiven, FRAMES_MAX);
    this.#forgivenAt = now;
    if (this.#left < 0)
      throw new ProtocolError(errorCode.enhanceYourCalm, 'too many frames that carry nothing');
  }
}

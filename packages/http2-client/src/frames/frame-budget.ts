import { errorCode, ProtocolError } from './protocol.ts';

/**
 * A limit on useless frames: PING, SETTINGS, PRIORITY, unknown types, empty DATA, window updates that release nothing,
 * interim answers, and frames for streams that have ended. Each is legal, and a few arrive with every answer. A flood
 * of them keeps us busy, and our acknowledgements fill memory if the peer does not read them (CVE-2019-9512, 9515 and
 * 9518, CVE-2024-27316).
 *
 * nghttp2 ends a connection at 1,000 unsent acknowledgements, or at 1,000 stream resets, of which it forgives 33 per
 * second. Go's server ends one at 10,000 unsent control frames. We count useless frames even if their acknowledgements
 * have been sent, so our limit and our rate are higher. Reading 10,000 frames takes about 10 ms, and their unsent
 * acknowledgements take 170 KB.
 */
const FRAMES_MAX = 10_000;
const REGAINED_PER_SECOND = 1_000;
/** Enough for a PING, window updates and interim answers with each answer, at any rate. */
const REGAINED_PER_ANSWER = 32;

export class FrameBudget {
  #left = FRAMES_MAX;
  #regainedAt = performance.now();

  /** @throws {ProtocolError} ENHANCE_YOUR_CALM after too many frames */
  spend(frames = 1): void {
    this.#left -= frames;
    if (this.#left < 0) this.#regainOrThrow();
  }

  /** Called for every answer. */
  earn(): void {
    this.#left = Math.min(this.#left + REGAINED_PER_ANSWER, FRAMES_MAX);
  }

  /** The clock is read only here, so that `spend` is a subtraction. */
  #regainOrThrow(): void {
    const now = performance.now();
    const regained = ((now - this.#regainedAt) / 1_000) * REGAINED_PER_SECOND;
    this.#left = Math.min(this.#left + regained, FRAMES_MAX);
    this.#regainedAt = now;
    if (this.#left < 0) throw new ProtocolError(errorCode.enhanceYourCalm, 'too many useless frames');
  }
}

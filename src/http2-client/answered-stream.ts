import type { Answered, AnswerHeaders } from './answer.ts';

/**
 * An answer as it came. Its words are put together only when somebody reads them: of a push that was accepted,
 * nobody reads more than the status.
 */
export class AnsweredStream implements Answered {
  readonly kind = 'answered';
  readonly status: number;
  /** Flat names and values. */
  readonly #fields: readonly string[];
  readonly #chunks: readonly Buffer[] | undefined;

  constructor(status: number, fields: readonly string[], chunks?: readonly Buffer[]) {
    this.status = status;
    this.#fields = fields;
    this.#chunks = chunks;
  }

  /** Of a name that comes twice, the last value counts. */
  get headers(): AnswerHeaders {
    const headers: Record<string, string> = {};
    for (let at = 0; at < this.#fields.length; at += 2) {
      headers[this.#fields[at] ?? ''] = this.#fields[at + 1] ?? '';
    }
    return headers;
  }

  get body(): string {
    return Buffer.concat(this.#chunks ?? []).toString('utf8');
  }
}

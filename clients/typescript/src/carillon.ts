/** The client: every call of a back end, and batches of any size. */
import { Calls } from './generated/calls.ts';
import type { BatchEntry, BatchItem } from './generated/types.ts';
import { groupsOf, type Items } from './lines.ts';
import type { CallOptions } from './transport.ts';

/** The limits of a batch; with a margin for keys and line ends. */
const BATCH = { itemsMax: 1_000, bytesMax: 7 * 1024 * 1024 };

export class Carillon extends Calls {
  /**
   * Sends any number of notifications, in batches of up to 1,000.
   * @returns an entry for each, in their order, with its position from 1 as `line`; look at the `status` of each
   */
  async *sendMany(
    items: Items<BatchItem>,
    options?: CallOptions,
  ): AsyncGenerator<BatchEntry, void, undefined> {
    let before = 0;
    for await (const body of groupsOf(items, BATCH)) {
      const entries = await this.createNotifications(body, options);
      for (const entry of entries) yield { ...entry, line: before + entry.line };
      before += body.length;
    }
  }
}

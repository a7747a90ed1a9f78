/**
 * The open streams of a connection by id. Ids only grow (RFC 9113, section 5.1.1), so a ring of slots is enough. If an
 * answer is so late that the slot of its stream is needed again, the stream moves to a map.
 *
 * A map for all streams would be slower: V8 rebuilds the table of a map after every few hundred entries and links the
 * old table to the new one. Once such a table has reached the old generation, it keeps all later tables alive, and
 * every stream in them outlives the young generation.
 */

/** Larger than the number of open streams, so only unusually slow streams move to the map. A power of two. */
const SLOTS = 1_024;

interface Numbered {
  readonly outgoing: { readonly id: number };
}

export class StreamTable<Stream extends Numbered> {
  readonly #ring: (Stream | undefined)[] = Array.from({ length: SLOTS });
  /** Streams whose slot was needed again, by ascending id. */
  readonly #late = new Map<number, Stream>();
  #inRing = 0;
  #lastId = 0;

  get size(): number {
    return this.#inRing + this.#late.size;
  }

  /** @param stream its id must be above all ids so far */
  add(stream: Stream): void {
    const { id } = stream.outgoing;
    const slot = slotOf(id);
    const late = this.#ring[slot];
    if (late === undefined) this.#inRing += 1;
    else this.#late.set(late.outgoing.id, late);
    this.#ring[slot] = stream;
    this.#lastId = id;
  }

  get(id: number): Stream | undefined {
    const stream = this.#ring[slotOf(id)];
    return stream?.outgoing.id === id ? stream : this.#late.get(id);
  }

  delete(id: number): void {
    const slot = slotOf(id);
    if (this.#ring[slot]?.outgoing.id === id) {
      this.#ring[slot] = undefined;
      this.#inRing -= 1;
    } else {
      this.#late.delete(id);
    }
  }

  /** By ascending id. Streams may be deleted during the iteration. */
  *values(): Generator<Stream> {
    yield* this.#late.values();
    const newest = slotOf(this.#lastId);
    for (let count = 1; count <= SLOTS; count++) {
      const stream = this.#ring[(newest + count) % SLOTS];
      if (stream !== undefined) yield stream;
    }
  }
}

/** The ids of a client's streams are odd. */
function slotOf(id: number): number {
  return (id >>> 1) % SLOTS;
}

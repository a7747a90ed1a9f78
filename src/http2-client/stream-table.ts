/**
 * The open streams of a connection by number. Numbers only grow (RFC 9113, section 5.1.1), so a ring of places is
 * enough; the few that are lapped in it, because their answers are very late, move to a map.
 *
 * Not a map for all: V8 makes a map's table anew after every few hundred entries and links the old one to it. Once
 * one such table has reached the old generation it keeps all that follow alive, with every stream in them: each
 * push then outlives the young generation.
 */

/** More than a connection ever has streams open, so that only late ones are lapped. A power of two. */
const PLACES = 1_024;

interface Numbered {
  readonly outgoing: { readonly id: number };
}

export class StreamTable<Stream extends Numbered> {
  readonly #ring: (Stream | undefined)[] = Array.from({ length: PLACES });
  /** Lapped ones, in the order of their numbers. */
  readonly #late = new Map<number, Stream>();
  #inRing = 0;
  #lastId = 0;

  get size(): number {
    return this.#inRing + this.#late.size;
  }

  /** @param stream with a number above all before it */
  add(stream: Stream): void {
    const { id } = stream.outgoing;
    const place = placeOf(id);
    const lapped = this.#ring[place];
    if (lapped === undefined) this.#inRing += 1;
    else this.#late.set(lapped.outgoing.id, lapped);
    this.#ring[place] = stream;
    this.#lastId = id;
  }

  get(id: number): Stream | undefined {
    const stream = this.#ring[placeOf(id)];
    return stream?.outgoing.id === id ? stream : this.#late.get(id);
  }

  delete(id: number): void {
    const place = placeOf(id);
    if (this.#ring[place]?.outgoing.id === id) {
      this.#ring[place] = undefined;
      this.#inRing -= 1;
    } else {
      this.#late.delete(id);
    }
  }

  /** In the order of their numbers. Streams may be deleted meanwhile. */
  *values(): Generator<Stream> {
    yield* this.#late.values();
    const newest = placeOf(this.#lastId);
    for (let count = 1; count <= PLACES; count++) {
      const stream = this.#ring[(newest + count) % PLACES];
      if (stream !== undefined) yield stream;
    }
  }
}

/** Numbers of streams that a client opens are odd. */
function placeOf(id: number): number {
  return (id >>> 1) % PLACES;
}

import { afterAll, beforeAll } from 'vitest';

/** What is to be closed, in reverse. */
export class Closing extends AsyncDisposableStack {
  /** Closes it in the end. */
  keep<Part extends { close(): unknown }>(part: Part): Part {
    this.defer(async () => void (await part.close()));
    return part;
  }
}

/**
 * Opens what the tests of a file (or of a `describe`) share before them, and closes it after them.
 * @returns what `open` has returned, while tests run
 */
export function useOpened<Opened extends object>(open: (closing: Closing) => Promise<Opened>): Opened {
  const closing = new Closing();
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open(closing);
  });
  afterAll(async () => closing.disposeAsync());
  return new Proxy(Object.create(null), {
    get: (_, name) => {
      if (opened === undefined) throw new Error(`${String(name)} is there only while tests run`);
      return Reflect.get(opened, name);
    },
    ownKeys: () => {
      throw new Error('take what you need by its name: a copy would be empty before the tests');
    },
  });
}

/** Reads a list page by page, until its cursor is null. */

export interface Page {
  meta: { cursor: string | null };
}

/**
 * @param read reads the page at the cursor that it gets; the first page has none
 * @example
 * for await (const { audiences } of pages((at) => carillon.listAudiences(at)))
 */
export async function* pages<P extends Page>(
  read: (at: { cursor?: string }) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let at: { cursor?: string } = {};
  for (;;) {
    const page = await read(at);
    yield page;
    const { cursor } = page.meta;
    if (cursor === null) return;
    at = { cursor };
  }
}

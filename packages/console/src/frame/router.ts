/** The address alone decides which screen is shown, so every state of the console can be linked to. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** `/console/`, with the path of a proxy in front of it, if there is one. The page's `<base>` names it. */
export const root = new URL(document.baseURI);

export interface Place {
  /** Relative to `/console/`, without a slash at either end: `apps/com.example.app/devices`. */
  path: string;
  query: URLSearchParams;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

const shown = signal<Place>(read());

/** Where the reader is. */
export const place: ReadonlySignal<Place> = computed(() => shown.value);

function read(): Place {
  const path = location.pathname.slice(root.pathname.length).replace(/\/+$/, '');
  return { path, query: new URLSearchParams(location.search) };
}

/** @returns an address relative to `/console/`, for `href`; parameters that are undefined or '' are left out */
export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path || '.' : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Shows the screen of an address relative to `/console/`. `replace` replaces the present one in the browser's history. */
export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(address, root);
  if (how === 'push') history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  shown.value = read();
}

/** Changes parameters of the address; an undefined or empty one is removed. `push` if "back" should undo it, such as another tab. */
export function setQuery(changes: Query, how: 'push' | 'replace' = 'replace'): void {
  const { path, query } = read();
  const next = { ...Object.fromEntries(query), ...changes };
  if (addressOf(path, next) !== addressOf(path, Object.fromEntries(query))) go(addressOf(path, next), how);
}

/** @returns the address of the console that `?next=` asks for; anything else is its first page */
export function nextAddress(): string {
  const next = place.value.query.get('next') ?? '';
  const url = URL.parse(next, root);
  return url !== null && isWithin(url) ? url.href : '.';
}

/** Asked of what the browser has parsed, so however an address is written, it cannot lead to another site. */
function isWithin({ origin, pathname }: { origin: string; pathname: string }): boolean {
  return origin === root.origin && pathname.startsWith(root.pathname);
}

/** Follows links within the console without loading the page again, and the browser's "back". */
export function startRouter(): void {
  addEventListener('popstate', () => {
    shown.value = read();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (!isWithin(link) || link.hasAttribute('download') || link.target !== '') return;
    event.preventDefault();
    go(link.href);
  });
}

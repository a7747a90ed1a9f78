import type { Exchange } from './listener.ts';

/** A request's headers without pseudo-headers, as a plain object. Names are in lower case, values decoded as UTF-8. */
export function keptHeaders(exchange: Exchange): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exchange.headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, readUtf8(Array.isArray(value) ? value.join(', ') : (value ?? ''))]),
  );
}

/** Node returns each byte of a header as one character. */
function readUtf8(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}

/** What a header's name and value may be in HTTP/2 (RFC 9113, sections 8.2.1 and 8.2.2). */

/** No upper case, no white space, no control characters, a colon at the front alone. */
const NAME = /^:?[!-9;-@[-~]+$/;
/** They speak of a connection of HTTP/1.1. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

export function isHeaderName(name: string): boolean {
  return NAME.test(name) && !OF_CONNECTIONS.has(name);
}

export function isHeaderValue(value: string): boolean {
  if (value === '') return true;
  if (isWhiteSpace(value.charCodeAt(0)) || isWhiteSpace(value.charCodeAt(value.length - 1))) return false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code === 0 || code === 0x0a || code === 0x0d) return false;
  }
  return true;
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

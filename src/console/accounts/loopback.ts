const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether a host, with or without a port, is this machine itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

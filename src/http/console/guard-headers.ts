/** The headers that protect everything below `/console`, whatever its replies are. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from '../../console/accounts/session-cookie.ts';

/** What the pages never use. Writing to the clipboard is left out, because buttons do. */
const PERMISSIONS = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
];
const PERMISSIONS_POLICY = PERMISSIONS.map((name) => `${name}=()`).join(', ');
/** A year, for this host alone: others of the domain may have no TLS. */
const HSTS = 'max-age=31536000';

export function guardHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'referrer-policy': 'no-referrer',
      'permissions-policy': PERMISSIONS_POLICY,
      'cross-origin-resource-policy': 'same-origin',
      ...(hasTls(request) && { 'strict-transport-security': HSTS }),
    });
  });
}

/** Whether the browser has called over TLS, which ends here or at a trusted proxy. At `localhost` it may have other servers without. */
function hasTls({ protocol, host }: FastifyRequest): boolean {
  return protocol === 'https' && !isLoopback(host);
}

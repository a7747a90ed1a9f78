/** firebase-admin, with the sink instead of Google. */
import http2 from 'node:http2';
import type { Messaging } from 'firebase-admin/messaging';

const FCM_ORIGIN = 'https://fcm.googleapis.com';

/**
 * The library has a fixed address, so its connections are redirected before it is loaded.
 * @param accessToken the access token for Google
 */
export async function openFirebase({
  fcmUrl,
  ca,
  projectId,
  accessToken,
}: {
  fcmUrl: string;
  ca: string;
  projectId: string;
  accessToken: string;
}): Promise<{ messaging: Messaging; close: () => Promise<void> }> {
  const connect = http2.connect.bind(http2);
  Object.assign(http2, {
    connect: (authority: string | URL, options: http2.SecureClientSessionOptions = {}) =>
      String(authority) === FCM_ORIGIN
        ? correctScheme(connect(fcmUrl, { ...options, ca }))
        : connect(authority, options),
  });
  const { deleteApp, initializeApp } = await import('firebase-admin/app');
  const { getMessaging } = await import('firebase-admin/messaging');
  const credential = {
    getAccessToken: async () => ({ access_token: accessToken, expires_in: 3_600 }),
  };
  const app = initializeApp({ projectId, credential });
  return { messaging: getMessaging(app), close: async () => deleteApp(app) };
}

/** It sends `:scheme: https:`, which Google tolerates and others refuse. */
function correctScheme(session: http2.ClientHttp2Session): http2.ClientHttp2Session {
  const request = session.request.bind(session);
  return Object.assign(session, {
    request: (headers: http2.OutgoingHttpHeaders, options?: http2.ClientSessionRequestOptions) =>
      request({ ...headers, ':scheme': 'https' }, options),
  });
}

/** Google's credentials, in firebase-admin's form: a service account's key, or the identity of this process. */
import type { Credential } from 'firebase-admin/app';
import type { GoogleAgent } from './google-agent.ts';
import type { FcmCredentials, ServiceAccountKey } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

/** Google's libraries are loaded only if FCM is used, because they take 70 ms and 25 MB. */
export async function openGoogleCredential(
  credentials: FcmCredentials,
  agent: GoogleAgent,
): Promise<Credential> {
  if (!('application_default' in credentials)) return serviceAccountCredential(credentials, agent);
  const { applicationDefault } = await import('firebase-admin/app');
  // Without the agent: the metadata server has no TLS, and the exchange of a federated token would ignore it.
  return applicationDefault();
}

/**
 * Replaces firebase-admin's `cert`, which ignores its agent when it is given a key instead of a file (issue 2960 of
 * firebase-admin-node), asks for five scopes, and never frees a key. Each call fetches a token; the caller keeps it.
 */
async function serviceAccountCredential(
  { client_email: email, private_key: key }: ServiceAccountKey,
  agent: GoogleAgent,
): Promise<Credential> {
  const { JWT } = await import('google-auth-library');
  return {
    async getAccessToken() {
      // A new client per call, because a client keeps its token by the clock of the machine.
      const client = new JWT({
        email,
        key,
        scopes: [SCOPE],
        // No retries here: the sender of a push retries, with backoff.
        transporterOptions: { agent, retryConfig: { retry: 0 } },
      });
      const { access_token: accessToken, expiry_date: expiresAtMs } = await client.authorize();
      if (typeof accessToken !== 'string' || typeof expiresAtMs !== 'number') {
        throw new Error('Google answered without an access token');
      }
      return { access_token: accessToken, expires_in: (expiresAtMs - Date.now()) / 1_000 };
    },
  };
}

/** Google's credentials, in firebase-admin's form: a service account's key, or the identity of this process. */
import type { Credential } from 'firebase-admin/app';
import type { GoogleAgent } from './google-agent.ts';
import type { FcmCredentials, ServiceAccountKey } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

export interface GoogleCredential extends Credential {
  /** Call it when the latest token was refused: the next call fetches another if the library can be made to. */
  discard(): void;
}

/**
 * Google's libraries are loaded only if FCM is used, because they take 70 ms and 25 MB.
 * @param isGoogle whether tokens come from Google's own address, verified with the authorities that Node trusts
 */
export async function openGoogleCredential(
  credentials: FcmCredentials,
  agent: GoogleAgent,
  isGoogle: boolean,
): Promise<GoogleCredential> {
  if (!('application_default' in credentials)) {
    const direct = await openDirect(credentials, agent);
    return isGoogle ? openCert(credentials, direct) : { ...direct, discard: () => undefined };
  }
  const { applicationDefault } = await import('firebase-admin/app');
  // Without the agent: the metadata server has no TLS, and the exchange of a federated token would ignore it.
  const identity = applicationDefault();
  return { getAccessToken: async () => identity.getAccessToken(), discard: () => undefined };
}

/**
 * firebase-admin's `cert`. It keeps its token until shortly before that expires, and has no timeout, so after a call
 * that failed, was not answered or returned a refused token, the next call fetches a token directly.
 */
async function openCert(
  { project_id: projectId, client_email: clientEmail, private_key: privateKey }: ServiceAccountKey,
  direct: Credential,
): Promise<GoogleCredential> {
  const { cert } = await import('firebase-admin/app');
  const ofKey = cert({ projectId, clientEmail, privateKey });
  const google: Credential = { getAccessToken: async () => withoutWarning(() => ofKey.getAccessToken()) };
  let isDoubtful = false;
  return {
    async getAccessToken() {
      const credential = isDoubtful ? direct : google;
      isDoubtful = true; // until it has answered
      const token = await credential.getAccessToken();
      isDoubtful = false;
      return token;
    },
    discard: () => {
      isDoubtful = true;
    },
  };
}

/**
 * At its first call, `cert` uses a function that google-auth-library has deprecated, and which writes a warning to
 * standard error, among the lines of the log.
 * @param call writes the warning before it returns
 */
function withoutWarning<T>(call: () => T): T {
  /* oxlint-disable no-console -- see above */
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return call();
  } finally {
    console.warn = warn;
  }
  /* oxlint-enable no-console */
}

/** For other addresses and authorities, which `cert` ignores. Each call fetches a token; the caller keeps it. */
async function openDirect(
  { client_email: email, private_key: key }: ServiceAccountKey,
  agent: GoogleAgent,
): Promise<Credential> {
  const { JWT } = await import('google-auth-library');
  return {
    async getAccessToken() {
      // A new client per call, because a client caches its token according to the machine's clock.
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

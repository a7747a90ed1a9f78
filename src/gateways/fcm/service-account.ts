import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

/** What FCM needs of a service account; field names as in Google's file. */
export interface FcmCredentials {
  project_id: string;
  client_email: string;
  /** An RSA private key in PEM. */
  private_key: string;
}

const serviceAccount = z.object({
  type: z.literal('service_account'),
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
});

/**
 * Reads the text of a Google service-account file; keeps only what FCM needs.
 * @throws {Error} a plain sentence, without any part of the key
 */
export function parseServiceAccount(text: string): FcmCredentials {
  const parsed = serviceAccount.safeParse(parseText(text));
  if (!parsed.success) {
    const [field] = parsed.error.issues[0]?.path ?? [];
    const fault = field === undefined ? 'is not a JSON object' : `lacks a usable "${String(field)}"`;
    throw new Error(
      `The service account ${fault}; use the JSON file that Google Cloud makes for a new key of the account.`,
    );
  }
  const { project_id, client_email, private_key } = parsed.data;
  if (!isRsaKey(private_key)) {
    throw new Error('The "private_key" of the service account is not an RSA private key in PEM format.');
  }
  return { project_id, client_email, private_key };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

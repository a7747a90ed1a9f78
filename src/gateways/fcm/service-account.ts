import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

/** The fields of a service account's key that FCM needs, named as in Google's file. */
export interface ServiceAccountKey {
  project_id: string;
  client_email: string;
  /** An RSA private key in PEM. */
  private_key: string;
}

/** The identity of the process that sends (Google's application default credentials); holds no secret. */
interface ProcessIdentity {
  project_id: string;
  application_default: true;
}

export type FcmCredentials = ServiceAccountKey | ProcessIdentity;

const serviceAccount = z.object({
  type: z.literal('service_account'),
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
});

/**
 * Reads the text of a Google service-account file; keeps only what FCM needs.
 * @throws {Error} with a plain sentence that contains no part of the key
 */
export function parseServiceAccount(text: string): ServiceAccountKey {
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

/** 6 to 30 characters, after the domain for a domain's projects (Google Cloud, "Creating and managing projects"). */
const PROJECT_ID = /^(?:[a-z0-9.-]{1,253}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;

/** @throws {Error} with a plain sentence if the text cannot be a project id */
export function processIdentity(projectId: string): ProcessIdentity {
  if (!PROJECT_ID.test(projectId)) {
    throw new Error(
      'The project id must be that of the Firebase project: 6 to 30 lower-case letters, digits and hyphens.',
    );
  }
  return { project_id: projectId, application_default: true };
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

import { z } from 'zod';
import { describeJson, describeKey, describeText, parseText, privateKeyIn, readPem } from '../key-file.ts';

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
  const value = parseText(text);
  const parsed = serviceAccount.safeParse(value);
  if (!parsed.success) {
    throw new Error(
      `The service account ${faultOf(text, value, parsed.error)}; use the JSON file that Google Cloud makes for a new key of the account.`,
    );
  }
  const { project_id, client_email, private_key } = parsed.data;
  const key = privateKeyIn(private_key);
  if (key?.asymmetricKeyType !== 'rsa') {
    const found = key === undefined ? describeText(private_key) : `is ${describeKey(key)}`;
    throw new Error(
      `The "private_key" of the service account ${found === undefined ? NO_KEY : `${found}; ${NO_KEY}`}.`,
    );
  }
  return { project_id, client_email, private_key: readPem(private_key) };
}

const NO_KEY = 'is not an RSA private key in PEM format';

function faultOf(text: string, value: unknown, { issues }: z.ZodError): string {
  const [field] = issues[0]?.path ?? [];
  if (field === 'type') return describeJson(value) ?? 'lacks a usable "type"';
  if (field !== undefined) return `lacks a usable "${String(field)}"`;
  if (privateKeyIn(text) !== undefined)
    return 'is only a private key, like Apple’s .p8 file, which belongs to APNs';
  return describeText(text) ?? 'is not a JSON object';
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

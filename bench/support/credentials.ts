/** Generated credentials in Apple's and Google's formats. The simulator checks them, nginx does not. */
import { generateKeyPairSync } from 'node:crypto';

/** One app per combination of platforms. */
export const BUNDLE_IDS = {
  both: 'com.example.both',
  iOS: 'com.example.ios',
  Android: 'com.example.android',
};

export type Platforms = keyof typeof BUNDLE_IDS;

export interface BenchCredentials {
  apns: { keyId: string; teamId: string; privateKey: string };
  applePublicKey: string;
  projectId: string;
  clientEmail: string;
  googlePublicKey: string;
  /** The content of a service account's file. */
  serviceAccount: string;
}

export function makeCredentials(): BenchCredentials {
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  const apple = generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding });
  const google = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding, privateKeyEncoding });
  const projectId = 'carillon-bench';
  const clientEmail = `sender@${projectId}.example`;
  return {
    apns: { keyId: 'BENCHKEY01', teamId: 'BENCHTEAM1', privateKey: apple.privateKey },
    applePublicKey: apple.publicKey,
    projectId,
    clientEmail,
    googlePublicKey: google.publicKey,
    serviceAccount: JSON.stringify({
      type: 'service_account',
      project_id: projectId,
      client_email: clientEmail,
      private_key: google.privateKey,
    }),
  };
}

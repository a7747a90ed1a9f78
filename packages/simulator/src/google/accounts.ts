/** Google's token endpoint: service accounts exchange signed grants (RFC 7523) for access tokens. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isSignedBy, issuedClaims, readJwt } from '../jwt.ts';

/** The JSON file of a service account, in the format of Google's console. */
export interface ServiceAccount {
  type: 'service_account';
  project_id: string;
  private_key_id: string;
  private_key: string;
  client_email: string;
  client_id: string;
  auth_uri: string;
  token_uri: string;
  auth_provider_x509_cert_url: string;
  client_x509_cert_url: string;
  universe_domain: string;
}

export interface GrantError {
  error: 'invalid_grant' | 'invalid_request' | 'invalid_scope' | 'unsupported_grant_type';
  error_description: string;
}
export interface Granted {
  access_token: string;
  expires_in: number;
  token_type: 'Bearer';
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Client libraries name one of Google's addresses as the audience, whatever endpoint they use. */
const GOOGLE_AUDIENCES = [
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
];
const TOKEN_LIFETIME_SECONDS = 3600;
const GRANT_LIFETIME_MAX_SECONDS = 3600;

export type GoogleAccounts = ReturnType<typeof createGoogleAccounts>;

/** @param tokenUrl returns the URL of the endpoint, which a grant may name as its audience */
export function createGoogleAccounts(clock: () => Date, tokenUrl: () => string) {
  const accounts = new Map<string, { projectId: string; publicKey: KeyObject }>();
  const accessTokens = new Map<string, { projectId: string; expiresAtSeconds: number }>();
  const nowSeconds = (): number => clock().getTime() / 1000;

  /** Creates an access token, valid for an hour, for clients that do not use the token endpoint. */
  const createAccessToken = ({ projectId }: { projectId: string }): string => {
    for (const [token, { expiresAtSeconds }] of accessTokens) {
      if (expiresAtSeconds <= nowSeconds()) accessTokens.delete(token);
    }
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    accessTokens.set(token, { projectId, expiresAtSeconds: nowSeconds() + TOKEN_LIFETIME_SECONDS });
    return token;
  };

  /** Registers an account whose key was made elsewhere. @throws if the text is not a key in PEM */
  const registerServiceAccount = (account: {
    projectId: string;
    clientEmail: string;
    publicKeyPem: string;
  }): void => {
    const { projectId, clientEmail, publicKeyPem } = account;
    accounts.set(clientEmail, { projectId, publicKey: createPublicKey(publicKeyPem) });
  };

  return {
    /** Creates a service account in the project with a key pair (RSA 2048), and registers its public key. */
    createServiceAccount: ({ projectId }: { projectId: string }): ServiceAccount => {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      const clientEmail = `carillon-${randomBytes(4).toString('hex')}@${projectId}.iam.gserviceaccount.com`;
      registerServiceAccount({ projectId, clientEmail, publicKeyPem: publicKey });
      return {
        type: 'service_account',
        project_id: projectId,
        private_key_id: randomBytes(20).toString('hex'),
        private_key: privateKey,
        client_email: clientEmail,
        client_id: '100000000000000000000',
        auth_uri: 'https://accounts.google.com/o/oauth2/auth',
        token_uri: tokenUrl(),
        auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
        client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(clientEmail)}`,
        universe_domain: 'googleapis.com',
      };
    },
    registerServiceAccount,
    createAccessToken,
    /** @param form the body of the request, `application/x-www-form-urlencoded` */
    grant: (form: string): Granted | GrantError => {
      const fields = new URLSearchParams(form);
      const grantType = fields.get('grant_type');
      if (grantType !== GRANT_TYPE) return denied('unsupported_grant_type', 'Invalid grant_type.');
      const assertion = fields.get('assertion');
      if (assertion === null) return denied('invalid_request', 'Missing required parameter: assertion');
      const jwt = readJwt(assertion, issuedClaims);
      if (jwt === undefined) return denied('invalid_grant', 'Invalid JWT: Failed to parse.');
      const { iss, aud, iat, exp, scope } = jwt.claims;
      const account = accounts.get(iss);
      if (account === undefined) return denied('invalid_grant', 'Invalid grant: account not found');
      if (!isSignedBy(jwt, 'RS256', account.publicKey)) {
        return denied('invalid_grant', 'Invalid JWT Signature.');
      }
      if (aud === undefined || ![tokenUrl(), ...GOOGLE_AUDIENCES].includes(aud)) {
        return denied('invalid_grant', 'Invalid JWT: Failed audience check.');
      }
      const now = nowSeconds();
      if (exp === undefined || exp <= now || iat > now || exp - iat > GRANT_LIFETIME_MAX_SECONDS) {
        return denied(
          'invalid_grant',
          'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
        );
      }
      if (scope === undefined || !scope.split(' ').includes(SCOPE)) {
        return denied('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
      }
      const token = createAccessToken({ projectId: account.projectId });
      return { access_token: token, expires_in: TOKEN_LIFETIME_SECONDS - 1, token_type: 'Bearer' };
    },
    /** The project of the access token in an `authorization` header, if it is valid. */
    projectOf: (authorization: string | undefined): string | undefined => {
      const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
      const found = token === undefined ? undefined : accessTokens.get(token);
      return found !== undefined && found.expiresAtSeconds > nowSeconds() ? found.projectId : undefined;
    },
  };
}

function denied(error: GrantError['error'], description: string): GrantError {
  return { error, error_description: description };
}

/** Says what to change in the address when Postgres and this process disagree about TLS. */

const UNKNOWN_AUTHORITY =
  'the certificate of Postgres is from an authority that is not known here: add sslrootcert=/path/ca.pem to the address, the certificate of that authority (sslmode=require without it encrypts and checks no certificate)';
const NO_TLS = 'Postgres offers no TLS: set ssl = on there, or sslmode=disable in the address';
const CLIENT_CERTIFICATE =
  'Postgres wants a client certificate that it knows: add sslcert=/path/client.pem and sslkey=/path/client.key to the address';

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const BY_CODE: ReadonlyMap<string, string> = new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', UNKNOWN_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'the certificate of Postgres is for another host name: use that name in the address, or sslmode=verify-ca with sslrootcert, which does not compare names',
  ],
  ['CERT_HAS_EXPIRED', 'the certificate of Postgres has expired: replace it there'],
  [
    'CERT_NOT_YET_VALID',
    'the certificate of Postgres is not valid yet: compare the clocks of both machines, or replace it',
  ],
]);
/** OpenSSL's codes for a client certificate that the server refuses, such as ERR_SSL_TLSV1_ALERT_UNKNOWN_CA. */
const ABOUT_CLIENT = /^ERR_SSL_.*_ALERT_.*(CERTIFICATE|UNKNOWN_CA)/;
/** Messages of the driver and of Postgres (SQLSTATE 28000), which share one code. */
const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/^The server does not support SSL connections/, NO_TLS],
  [
    /^no pg_hba\.conf entry for .*(no encryption|SSL off)$/,
    'Postgres accepts no connection without TLS: add sslmode=verify-full and sslrootcert to the address, or sslmode=require, which checks no certificate',
  ],
  [/^connection requires a valid client certificate/, CLIENT_CERTIFICATE],
];

/** @returns undefined if neither the error nor its cause is about TLS */
export function tlsAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const { message } = error;
  if (ABOUT_CLIENT.test(code)) return CLIENT_CERTIFICATE;
  return BY_CODE.get(code) ?? BY_MESSAGE.find(([form]) => form.test(message))?.[1] ?? tlsAdvice(error.cause);
}

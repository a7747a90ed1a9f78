/** The parameters of an address that say how its connections are encrypted: https://www.postgresql.org/docs/current/libpq-ssl.html. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { PoolConfig } from 'pg';
import { optionalTls } from './optional-tls.ts';

type Parameters = ReadonlyMap<string, string>;
type Tls = Exclude<PoolConfig['ssl'], boolean | undefined>;

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** @returns the faults, each as the rest of a sentence */
export function tlsFaults(parameters: Parameters): string[] {
  const mode = sslModeOf(parameters);
  const root = parameters.get('sslrootcert');
  const isEncrypted = mode !== undefined && !['disable', 'allow', 'prefer'].includes(mode);
  const faults = [...fileFaults(parameters), ...pairFaults(parameters)];
  if (mode === 'verify-ca' && (root === undefined || root === 'system')) {
    faults.push(
      'has sslmode=verify-ca without a file: add sslrootcert=/path/ca.pem, or use verify-full, because anybody can get a certificate from a public authority',
    );
  }
  if (root === 'system' && mode !== undefined && mode !== 'verify-full' && mode !== 'verify-ca') {
    faults.push('has sslrootcert=system, which needs sslmode=verify-full');
  }
  if (parameters.get('sslnegotiation') === 'direct' && !isEncrypted) {
    faults.push('has sslnegotiation=direct, which needs sslmode=require, verify-ca or verify-full');
  }
  return faults;
}

/** The contents that each file must have, and a function that throws for other contents. */
const FILES: Readonly<Record<string, [string, (pem: Buffer, parameters: Parameters) => unknown]>> = {
  sslrootcert: ['certificates', (pem) => new X509Certificate(pem)],
  sslcert: ['certificates', (pem) => new X509Certificate(pem)],
  sslkey: ['a key', readKey],
};

function readKey(key: Buffer, parameters: Parameters): KeyObject {
  const passphrase = parameters.get('sslpassword');
  return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
}

function fileFaults(parameters: Parameters): string[] {
  return Object.entries(FILES).flatMap(([name, [what, read]]) => {
    const file = parameters.get(name);
    if (file === undefined || (name === 'sslrootcert' && file === 'system')) return [];
    try {
      const pem = readFileSync(file);
      if (name === 'sslkey' && !parameters.has('sslpassword') && pem.includes('ENCRYPTED')) {
        return ['has an encrypted sslkey and no sslpassword'];
      }
      read(pem, parameters);
      return [];
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      // Other codes of Node are about the contents of the file.
      const reason = /^E[A-Z]+$/.test(code) ? code : `it contains none that can be read`;
      return [`has a ${name} that is not a readable file of ${what} in PEM (${file}: ${reason})`];
    }
  });
}

function pairFaults(parameters: Parameters): string[] {
  const [certificate, key] = [parameters.get('sslcert'), parameters.get('sslkey')];
  if (certificate === undefined && key === undefined) return [];
  if (certificate === undefined || key === undefined) {
    return ['has one of sslcert and sslkey; a client certificate needs both'];
  }
  try {
    const belongs = new X509Certificate(readFileSync(certificate)).checkPrivateKey(
      readKey(readFileSync(key), parameters),
    );
    return belongs ? [] : ['has an sslkey that is not the key of its sslcert'];
  } catch {
    return []; // reported as a fault of the file
  }
}

/** @returns undefined if the address says nothing about TLS: then there is none, unless PGSSLMODE is set */
function sslModeOf(parameters: Parameters): string | undefined {
  const mode = parameters.get('sslmode');
  if (mode !== undefined) return mode === 'no-verify' ? 'require' : mode; // the driver's own word
  const { ssl } = Object.fromEntries(parameters);
  if (ssl !== undefined) return SSL.get(ssl);
  if (parameters.get('sslrootcert') !== undefined) return 'verify-full';
  return parameters.has('sslcert') || parameters.has('sslkey') ? 'verify-full' : undefined;
}

/** The driver's own parameter. */
const SSL: ReadonlyMap<string, string> = new Map([
  ['true', 'verify-full'],
  ['1', 'verify-full'],
  ['no-verify', 'require'],
  ['false', 'disable'],
  ['0', 'disable'],
]);

export function tlsOf(parameters: Parameters): Pick<PoolConfig, 'ssl' | 'sslnegotiation' | 'Client'> {
  const mode = sslModeOf(parameters);
  if (mode === undefined) return {};
  if (mode === 'disable') return { ssl: false };
  const root = parameters.get('sslrootcert');
  const certificate = parameters.get('sslcert');
  const key = parameters.get('sslkey');
  const passphrase = parameters.get('sslpassword');
  const hasRoot = root !== undefined && root !== 'system';
  const ssl: Tls = {
    ...(hasRoot && { ca: readFileSync(root, 'utf8') }),
    ...(certificate !== undefined && { cert: readFileSync(certificate, 'utf8') }),
    ...(key !== undefined && { key: readFileSync(key, 'utf8') }),
    ...(passphrase !== undefined && { passphrase }),
  };
  if (mode === 'allow' || mode === 'prefer') {
    return { ssl: { ...ssl, rejectUnauthorized: false }, Client: optionalTls };
  }
  return {
    ssl: { ...ssl, ...verification(mode, hasRoot) },
    ...(parameters.get('sslnegotiation') === 'direct' && { sslnegotiation: 'direct' }),
  };
}

/** As in https://www.postgresql.org/docs/current/libpq-ssl.html: with `sslrootcert`, `require` is `verify-ca`. */
function verification(mode: string, hasRoot: boolean): Tls {
  if (mode === 'verify-full') return {};
  if (mode === 'require' && !hasRoot) return { rejectUnauthorized: false };
  return { checkServerIdentity: () => undefined };
}

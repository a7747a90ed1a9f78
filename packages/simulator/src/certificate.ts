/**
 * The simulator's own certificate authority, and a server certificate issued by it. Both are made when the simulator
 * starts. Clients of the simulator have to trust the authority's certificate.
 */
import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export interface Certificate {
  /** The authority's certificate, for clients. */
  caPem: string;
  certificatePem: string;
  privateKeyPem: string;
}

/** Creates a certificate for `localhost`, the two loopback addresses and `host`, valid for a year. */
export async function makeCertificate(host: string): Promise<Certificate> {
  const common = { algorithm: 'sha256', keyType: 'ec' } as const;
  const authority = await generate([{ name: 'commonName', value: 'Carillon Simulator CA' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
  });
  return { caPem: authority.cert, certificatePem: server.cert, privateKeyPem: server.private };
}

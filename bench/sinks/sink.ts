/** The interface of a local gateway that accepts and counts all pushes, and its certificate. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeCertificate } from '@carillon/simulator';
import type { BenchCredentials } from '../support/credentials.ts';

export type SinkName = 'nginx' | 'simulator' | 'counting';

export interface GatewayAddresses {
  apnsUrl: string;
  fcmUrl: string;
  oauthUrl: string;
}

/** Pushes since the reset; null is what the sink does not know. */
export interface SinkCounts {
  received: number;
  /** How many were not the first to their token. */
  repeated: number | null;
  /** How many of these a phone would not show in the place of the first. */
  shownTwice: number | null;
}

export interface Sink extends GatewayAddresses {
  readonly name: SinkName;
  readonly pid: number;
  readonly caFile: string;
  readonly credentials: BenchCredentials;
  /** Resets the counts. */
  reset(): Promise<void>;
  count(): Promise<SinkCounts>;
  stop(): Promise<void>;
}

/** Makes a certificate for this machine. @returns its files, and that of the authority to trust */
export async function writeCertificate(
  dir: string,
): Promise<{ caFile: string; certificate: string; key: string }> {
  const { caPem, certificatePem, privateKeyPem } = await makeCertificate('127.0.0.1');
  const write = async (name: string, pem: string): Promise<string> => {
    const file = path.join(dir, name);
    await writeFile(file, pem, { mode: 0o600 });
    return file;
  };
  return {
    caFile: await write('ca.pem', caPem),
    certificate: await write('server.pem', certificatePem),
    key: await write('server.key', privateKeyPem),
  };
}

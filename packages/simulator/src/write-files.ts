/** Writes credentials for a running simulator, in the file formats of Apple's and Google's consoles. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator } from './surface.ts';

export interface SimulatorFiles {
  /** The certificate authority to trust: `GATEWAY_CA_FILE`. */
  caFile: string;
  apnsKeyFile: string;
  serviceAccountFile: string;
  keyId: string;
  teamId: string;
  bundleId: string;
  projectId: string;
}

/**
 * Creates a signing key and a service account, registers both, and writes `ca.pem`, `AuthKey_<keyId>.p8` and
 * `service-account.json` into `dir`, which is created if it is missing. The two secrets have mode 0600.
 */
export async function writeSimulatorFiles(
  simulator: Simulator,
  dir: string,
  owner: { bundleId?: string; keyId?: string; teamId?: string; projectId?: string } = {},
): Promise<SimulatorFiles> {
  const { bundleId = 'com.example.carillon', keyId = 'SIMULATOR1', teamId = 'CARILLON01' } = owner;
  const { projectId = 'carillon-simulator' } = owner;
  const key = simulator.apple.createKey({ teamId, keyId, bundleId });
  const account = simulator.google.createServiceAccount({ projectId });
  const files = {
    caFile: join(dir, 'ca.pem'),
    apnsKeyFile: join(dir, `AuthKey_${keyId}.p8`),
    serviceAccountFile: join(dir, 'service-account.json'),
  };
  await mkdir(dir, { recursive: true });
  await writeFile(files.caFile, simulator.caPem);
  await writeFile(files.apnsKeyFile, key.privateKeyPem, { mode: 0o600 });
  await writeFile(files.serviceAccountFile, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 });
  return { ...files, keyId, teamId, bundleId, projectId };
}

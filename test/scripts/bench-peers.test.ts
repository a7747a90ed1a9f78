import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSchema, settingsSchema } from '../../bench/peers/contract.ts';
import { folderOf, foreignPeers } from '../../bench/peers/foreign.ts';

const PEERS = path.join(import.meta.dirname, '../../bench/peers');

describe('bench/peers', () => {
  it('each folder of a foreign peer is in the list, and each peer of the list has a folder', () => {
    const folders = readdirSync(PEERS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const foreign = folders.map(({ name }) => name).filter((name) => name !== 'node');
    expect(foreign.sort()).toEqual(foreignPeers.map(({ name }) => name).sort());
  });

  it.each(foreignPeers)('$name has a lock file, which names its version', (peer) => {
    const folder = folderOf(peer);
    expect(existsSync(path.join(folder, peer.lock))).toBe(true);
    expect(readFileSync(path.join(folder, peer.lock), 'utf8')).toContain(peer.version);
  });

  it('a line of settings is refused if a field is missing', () => {
    const line = {
      host: '127.0.0.1',
      port: 8443,
      caFile: 'ca.pem',
      keyFile: 'key.p8',
      keyId: 'BENCHKEY01',
      teamId: 'BENCHTEAM1',
      topic: 'com.example.ios',
      tokensFile: 'tokens',
      notificationId: '00000000-0000-4000-8000-000000000000',
      inFlight: 100,
      serviceAccountFile: 'service-account.json',
      vapidFile: 'vapid.json',
      listenPort: 8088,
    };
    expect(settingsSchema.parse(line)).toEqual(line);
    expect(settingsSchema.safeParse({ ...line, tokensFile: undefined }).success).toBe(false);
  });

  it('a run without pushes is refused', () => {
    const run = { first: 0, count: 5_000, different: true };
    expect(runSchema.parse(run)).toEqual(run);
    expect(runSchema.safeParse({ ...run, count: 0 }).success).toBe(false);
  });
});

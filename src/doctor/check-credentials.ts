import type { Kysely } from 'kysely';
import type { App } from '../apps/apps.ts';
import { listCredentialVersions, readCredentials } from '../apps/credentials/store.ts';
import type { SecretKey } from '../apps/seal.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../process/config.ts';
import type { Database } from '../db/tables.ts';
import type { Probe } from '../gateways/probe.ts';
import {
  adviceFor,
  type AppleEnvironment,
  appleEnvironments,
  describeProbe,
  describeUse,
  type KeyUse,
  useOfKey,
  useOfFcmCredentials,
} from '../apps/credentials/ask-gateways.ts';
import { fault, type Finding, ok, warning } from './finding.ts';

export interface CredentialContext {
  db: Kysely<Database>;
  secret: SecretKey;
  config: Config;
  clock: Clock;
}

/** Checks which routes each of an app's credentials works on. */
export async function checkCredentials(context: CredentialContext, app: App): Promise<Finding[]> {
  const { db, secret, config, clock } = context;
  const stored = await listCredentialVersions(db, app.id);
  if (stored.length === 0) {
    return [warning(app.bundleId, 'it has no credentials', 'store some with "carillon credentials"')];
  }
  let opened: Awaited<ReturnType<typeof readCredentials>>;
  try {
    opened = await readCredentials(db, secret, app.id);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [
      fault(app.bundleId, message, 'set the SECRET_KEY that they were encrypted with, or store them again'),
    ];
  }
  const { apns_production: production, apns_sandbox: sandbox, fcm, web_push: vapid } = opened;
  const keys = { production, sandbox };
  const findings = stored.map(async ({ gateway, version }): Promise<Finding[]> => {
    if (gateway === 'fcm') {
      if (fcm === undefined) return [];
      return [ofServiceAccount(app, fcm.project_id, await useOfFcmCredentials(config, fcm, clock))];
    }
    // No service can be asked without the subscription of a browser.
    if (gateway === 'web_push') {
      return vapid === undefined
        ? []
        : [ok(`${app.bundleId}: VAPID key`, 'stored; only pushes to browsers show more')];
    }
    // A key for all environments is used only if the app has none for that environment alone.
    const usedFor = appleEnvironments.filter((name) => keys[name]?.version === version);
    const [key] = usedFor.map((name) => keys[name]);
    if (key === undefined) return [];
    return [ofKey(app, key.keyId, usedFor, await useOfKey(config, app.bundleId, key, clock))];
  });
  return (await Promise.all(findings)).flat();
}

function ofKey(app: App, keyId: string, usedFor: readonly AppleEnvironment[], use: KeyUse): Finding {
  const check = `${app.bundleId}: Apple key ${keyId}`;
  const only = usedFor.length === appleEnvironments.length ? '' : `, used for ${usedFor.join()}`;
  const message = `${describeUse(use)}${only}`;
  const wanted = usedFor.map((name) => use[name]);
  const refused = wanted.find((probe) => probe.result === 'refused');
  if (refused?.result === 'refused') {
    const isGoodForOne = wanted.some(({ result }) => result === 'good');
    return (isGoodForOne ? warning : fault)(check, message, adviceFor(refused.reason));
  }
  return orUnknown(check, message, wanted);
}

function ofServiceAccount(app: App, projectId: string, probe: Probe): Finding {
  const check = `${app.bundleId}: Google project ${projectId}`;
  const message = describeProbe(probe);
  if (probe.result === 'refused') return fault(check, message, adviceFor(probe.reason));
  return orUnknown(check, message, [probe]);
}

function orUnknown(check: string, message: string, wanted: readonly Probe[]): Finding {
  const unknown = wanted.find((probe) => probe.result === 'unknown');
  if (unknown?.result !== 'unknown') return ok(check, message);
  return warning(check, message, adviceFor(unknown.reason));
}

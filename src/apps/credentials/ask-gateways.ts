/** Asks the gateways which credentials they accept: for `carillon doctor`, and before new ones are stored. */
import type { Clock } from '../../clock.ts';
import type { KeyEnvironment } from './store.ts';
import type { ApnsCredentials } from '../../gateways/apns/provider-token.ts';
import type { FcmCredentials } from '../../gateways/fcm/service-account.ts';
import { probeApns } from '../../gateways/apns/probe-apns.ts';
import { probeFcm } from '../../gateways/fcm/probe-fcm.ts';
import type { Probe } from '../../gateways/probe.ts';
import type { ProxySettings } from '../../proxy/proxy-settings.ts';

/** The addresses of the gateways, and the authorities to trust there. */
export interface GatewayAddresses {
  apnsProductionUrl: string;
  apnsSandboxUrl: string;
  fcmUrl: string;
  googleOauthUrl: string;
  /** Further certificate authorities, in PEM. */
  gatewayCa: string | undefined;
  /** Undefined: connections are direct. */
  proxy?: ProxySettings | undefined;
}

export type AppleEnvironment = Exclude<KeyEnvironment, 'all'>;
export type KeyUse = Readonly<Record<AppleEnvironment, Probe>>;

export const appleEnvironments = ['production', 'sandbox'] as const satisfies readonly AppleEnvironment[];

export async function useOfKey(
  addresses: GatewayAddresses,
  bundleId: string,
  credentials: ApnsCredentials,
  clock: Clock,
): Promise<KeyUse> {
  const probe = async (url: string): Promise<Probe> =>
    probeApns({ url, ca: addresses.gatewayCa, proxy: addresses.proxy, bundleId, credentials, clock });
  const [production, sandbox] = await Promise.all([
    probe(addresses.apnsProductionUrl),
    probe(addresses.apnsSandboxUrl),
  ]);
  return { production, sandbox };
}

export async function useOfFcmCredentials(
  addresses: GatewayAddresses,
  credentials: FcmCredentials,
  clock: Clock,
): Promise<Probe> {
  const { fcmUrl, googleOauthUrl: oauthUrl, gatewayCa: ca, proxy } = addresses;
  return probeFcm({ fcmUrl, oauthUrl, ca, proxy, credentials, clock });
}

/** The reason not to store credentials: the gateway refuses them, or did not say whether it accepts them. */
export interface Refusal {
  result: 'refused' | 'unknown';
  /** A sentence that follows the name of the gateway: "refuses the key: …". */
  why: string;
  /** The only environment of Apple that the key is good for. */
  goodFor?: AppleEnvironment;
}

/** @returns undefined if Apple accepts the key in every environment that it is to be stored for */
export function refusalOfKey(use: KeyUse, environment: KeyEnvironment): Refusal | undefined {
  const wanted = environmentsOf(environment).map((name) => use[name]);
  const refused = wanted.find(({ result }) => result === 'refused');
  if (refused?.result === 'refused') {
    const [goodFor, ...others] = appleEnvironments.filter((name) => use[name].result === 'good');
    const why = `refuses the key: ${describeUse(use)}; ${adviceFor(refused.reason)}`;
    return { result: 'refused', why, ...(goodFor !== undefined && others.length === 0 && { goodFor }) };
  }
  if (wanted.every(({ result }) => result === 'good')) return undefined;
  return { result: 'unknown', why: didNotSay(describeUse(use)) };
}

/** @param name what the credentials are called, such as "service account" */
export function refusalOfFcmCredentials(use: Probe, name: string): Refusal | undefined {
  if (use.result === 'good') return undefined;
  if (use.result === 'unknown') return { result: 'unknown', why: didNotSay(describeProbe(use)) };
  return { result: 'refused', why: `refuses the ${name}: ${use.reason}; ${adviceFor(use.reason)}` };
}

function didNotSay(use: string): string {
  return `did not say whether it accepts the credentials: ${use}`;
}

/** The environments that a stored key is for. */
function environmentsOf(environment: KeyEnvironment): readonly AppleEnvironment[] {
  return environment === 'all' ? appleEnvironments : [environment];
}

/** @returns e.g. `production yes, sandbox no (BadEnvironmentKeyInToken)` */
export function describeUse(use: KeyUse): string {
  return appleEnvironments
    .map((environment) => `${environment} ${describeProbe(use[environment])}`)
    .join(', ');
}

export function describeProbe(probe: Probe): string {
  if (probe.result === 'good') return 'yes';
  return `${probe.result === 'refused' ? 'no' : 'not known'} (${probe.reason})`;
}

/** The advice for a gateway's reason, if it refuses credentials or cannot be asked. */
export function adviceFor(reason: string): string {
  const known = ADVICE.find(([pattern]) => pattern.test(reason));
  return known?.[1] ?? 'look up this reason in the documentation of the gateway';
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /^InvalidProviderToken$/,
    'Apple does not know the key: the file, the key id and the team id must belong together, and the key must not be revoked',
  ],
  [
    /^BadEnvironmentKey(Id)?InToken$/,
    'the key is only for the other environment: store it with --environment, and another key for this environment',
  ],
  [
    /^(TopicDisallowed|BadTopic|DeviceTokenNotForTopic)$/,
    'the key may not push to this bundle id: it belongs to another team or to other topics',
  ],
  [/^ExpiredProviderToken$/, 'the clock of this machine is wrong: see its line in this report'],
  [
    /^TooManyProviderTokenUpdates$/,
    'Apple allows a team one new token per 20 minutes: try again after 20 minutes',
  ],
  [
    /invalid_grant/,
    'Google no longer knows the account or its key, or the clock of this machine is wrong: check the clock, then create a new key for the account',
  ],
  [
    /application default credentials/,
    'give this process an identity of Google Cloud (docs/deploy.md), and restart it',
  ],
  [
    /^(NOT_FOUND|HTTP 404)$/,
    'Google finds no such project: compare the project id of the service account, or of --project, with the one in the Firebase console',
  ],
  [
    /^(PERMISSION_DENIED|UNAUTHENTICATED)$/,
    'give the service account the role "Firebase Cloud Messaging API Admin" in its project, and enable the Firebase Cloud Messaging API there',
  ],
];

/** Checks that the gateways are reachable over trusted TLS, and that their clocks agree with ours. */
import type { Clock } from '../clock.ts';
import type { Config } from '../process/config.ts';
import { probeOauth } from '../gateways/fcm/probe-oauth.ts';
import { type HostProbe, probeHost } from '../gateways/probe.ts';
import { clockWords, fault, type Finding, ok, warning } from './finding.ts';

/**
 * Apple accepts a provider token for an hour, but none from the future; ours is 1 to 51 minutes old. Google is stricter
 * about when its tokens expire.
 */
const CLOCK_WARNING_MS = 5_000;
const CLOCK_FAULT_MS = 60_000;

export async function checkGateways(config: Config, clock: Clock): Promise<Finding[]> {
  const { gatewayCa: ca, proxy } = config;
  const hosts = [
    ['apns production', config.apnsProductionUrl, '/3/device/'],
    ['apns sandbox', config.apnsSandboxUrl, '/3/device/'],
    ['apns channels production', config.apnsChannelsProductionUrl, '/1/apps/'],
    ['apns channels sandbox', config.apnsChannelsSandboxUrl, '/1/apps/'],
    ['fcm', config.fcmUrl, '/v1/projects/carillon-doctor/messages:send'],
  ] as const;
  const { fcmUrl, googleOauthUrl: oauthUrl } = config;
  const probed = await Promise.all([
    ...hosts.map(async ([check, url, path]) => ({
      check,
      url,
      probe: await probeHost({ url, ca, proxy, path }, clock),
    })),
    probeOauth({ fcmUrl, oauthUrl, ca, proxy }, clock).then((probe) => ({
      check: 'google oauth',
      url: oauthUrl,
      probe,
    })),
  ]);
  return [...probed.map(({ check, url, probe }) => hostFinding(check, url, probe)), clockFinding(probed)];
}

function hostFinding(check: string, url: string, probe: HostProbe): Finding {
  if (probe.reached) return ok(check, `${new URL(url).host} answers over trusted TLS`);
  return fault(check, `${new URL(url).host}: ${probe.reason}`, hostAdvice(probe.reason));
}

/** Recognises the names of Node's and OpenSSL's errors. */
function hostAdvice(reason: string): string {
  if (/CERT|SIGNATURE|ISSUER|SELF_SIGNED/.test(reason)) {
    return 'a proxy in between presents its own certificate: put its authority into GATEWAY_CA_FILE, or exempt this connection from inspection';
  }
  if (/the proxy .* answered 407/.test(reason)) {
    return 'the proxy wants another user and password: check HTTPS_PROXY';
  }
  if (/the proxy /.test(reason)) {
    return 'check HTTPS_PROXY, and allow connections to this host and port at the proxy; NO_PROXY bypasses it';
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return 'the host name does not resolve: check the DNS of this machine';
  return 'allow outgoing connections to this host and port';
}

function clockFinding(probed: readonly { probe: HostProbe }[]): Finding {
  const check = 'clock';
  const ahead = probed
    .flatMap(({ probe }) => (probe.reached ? [probe.aheadMs] : []))
    .find((aheadMs) => aheadMs !== undefined);
  if (ahead === undefined) {
    return warning(check, 'no gateway returned its time', 'first make the gateways reachable');
  }
  const words =
    ahead > -CLOCK_WARNING_MS && ahead < CLOCK_WARNING_MS
      ? 'the clock agrees with the clocks of the gateways'
      : `${clockWords(ahead)} of the clocks of the gateways`;
  const advice =
    'set the clock, and synchronise it with a time server (NTP): gateways refuse tokens with a wrong time';
  if (Math.abs(ahead) >= CLOCK_FAULT_MS) return fault(check, words, advice);
  return Math.abs(ahead) >= CLOCK_WARNING_MS ? warning(check, words, advice) : ok(check, words);
}

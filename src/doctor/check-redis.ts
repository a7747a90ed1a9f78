import { openRedis } from '../queue/redis.ts';
import { withoutPasswords } from '../queue/redis-address.ts';
import { fault, type Finding, ok, warning } from './finding.ts';

const CHECK = 'redis';
const CONNECT_TIMEOUT_MS = 5_000;
/** The first version with `BZPOPMIN`. */
const MAJOR_VERSION_MIN = 5;

/** @param url see `RedisOptions.url` */
export async function checkRedis(url: string): Promise<Finding[]> {
  let failure: unknown;
  const errors = {
    reportAway: (error: unknown) => {
      failure ??= error;
    },
    explain: String,
    connected: () => undefined,
  };
  const redis = openRedis({ url, errors, commandTimeoutMs: CONNECT_TIMEOUT_MS });
  try {
    await redis.ready(CONNECT_TIMEOUT_MS);
    return findingsOf(await redis.client.info());
  } catch (error) {
    const cause = failure ?? error;
    const message = withoutPasswords(url, cause instanceof Error ? cause.message : String(cause));
    return [
      fault(
        CHECK,
        `unreachable: ${message}`,
        'check that Redis runs and that REDIS_URL is right; until then workers poll the database every second',
      ),
    ];
  } finally {
    redis.close();
  }
}

function findingsOf(info: string): Finding[] {
  const read = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const server = read('server_name') ?? 'Redis';
  const version = read(server === 'valkey' ? 'valkey_version' : 'redis_version') ?? 'of unknown version';
  const policy = read('maxmemory_policy');
  const isTooOld = Number(version.split('.')[0]) < MAJOR_VERSION_MIN;
  const findings = [
    isTooOld
      ? fault(CHECK, `${server} ${version} is too old`, 'use Redis 5 or later, or Valkey')
      : ok(CHECK, `${server} ${version}`),
  ];
  if (read('role') === 'slave') {
    findings.push(fault(CHECK, 'it is a replica and accepts no writes', 'set REDIS_URL to the primary'));
  }
  if (policy !== undefined && policy !== 'noeviction' && read('maxmemory') !== '0') {
    findings.push(warning(CHECK, `maxmemory-policy is ${policy}: it may drop jobs`, 'set it to noeviction'));
  }
  return findings;
}

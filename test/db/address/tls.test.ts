/** `DATABASE_URL` on a Postgres with TLS, whose certificate is from a private authority. */
import { appendFile, chmod, chown, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { generate } from 'selfsigned';
import { beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/db/connect.ts';
import { databaseError } from '../../../src/db/database-error.ts';
import { observeNothing } from '../../../src/observe.ts';
import { ConfigError, readConfig } from '../../../src/process/config.ts';
import { openResources } from '../../../src/process/resources.ts';
import { useOwnPostgres } from '../../support/own-postgres.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';

const USERS = ['needs_tls', 'needs_certificate'];

type Issued = Awaited<ReturnType<typeof generate>>;

let authority: Issued;
let client: Issued;
const plain = useOwnPostgres();
const postgres = useOwnPostgres(async (clusterDir) => {
  authority = await makeAuthority('Private CA');
  client = await issue('client', []);
  const server = await issue('localhost', [
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ]);
  const { uid, gid } = await stat(clusterDir);
  for (const [name, text] of [
    ['server.crt', server.cert],
    ['server.key', server.private],
    ['client-ca.crt', authority.cert],
  ] as const) {
    const file = path.join(clusterDir, name);
    await writeFile(file, text);
    await chmod(file, 0o600);
    await chown(file, uid, gid);
  }
  await appendFile(
    path.join(clusterDir, 'postgresql.conf'),
    "ssl = on\nssl_cert_file = 'server.crt'\nssl_key_file = 'server.key'\nssl_ca_file = 'client-ca.crt'\n",
  );
  await writeFile(
    path.join(clusterDir, 'pg_hba.conf'),
    [
      'hostssl all needs_tls 127.0.0.1/32 trust',
      'hostssl all needs_certificate 127.0.0.1/32 trust clientcert=verify-ca',
      'host all carillon 127.0.0.1/32 scram-sha-256',
    ].join('\n'),
  );
});

const dir = useTemporaryDir();
const file = (name: string): string => path.join(dir.path, name);
beforeAll(async () => {
  await writeFile(file('ca.pem'), authority.cert);
  await writeFile(file('foreign-ca.pem'), (await makeAuthority('Other CA')).cert);
  await writeFile(file('same-name.pem'), (await makeAuthority('Private CA')).cert);
  await writeFile(file('client.pem'), client.cert);
  await writeFile(file('client.key'), client.private);
  for (const user of USERS) await sql`create role ${sql.id(user)} login`.execute(postgres.db);
});

const EC = { algorithm: 'sha256', keyType: 'ec' } as const;

async function makeAuthority(name: string): Promise<Issued> {
  return generate([{ name: 'commonName', value: name }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
}

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>;

async function issue(name: string, extensions: Extensions): Promise<Issued> {
  const ca = { key: authority.private, cert: authority.cert };
  return generate([{ name: 'commonName', value: name }], {
    ...EC,
    ca,
    extensions: [{ name: 'basicConstraints', cA: false, critical: true }, ...extensions],
  });
}

/** @returns whether a connection is encrypted, or the sentence that the process would log */
async function tryAddress(url: string): Promise<boolean | string> {
  const db = connectDatabase({ connectionString: url, observe: observeNothing, connectionsMax: 1 });
  try {
    const { rows } = await sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
    return rows[0]?.ssl ?? 'no row';
  } catch (error) {
    return databaseError(error).message;
  } finally {
    await db.destroy();
  }
}

function address(of: { url: string }, { user, ...parameters }: Record<string, string>): string {
  const url = new URL(of.url);
  if (user !== undefined) url.username = user;
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(name, ['sslrootcert', 'sslcert', 'sslkey'].includes(name) ? file(value) : value);
  }
  return url.href;
}

const NAMES_SSLROOTCERT = expect.stringMatching(/authority that is not known here: add sslrootcert=/);

test.each([
  [{}, false],
  [{ sslmode: 'disable' }, false],
  [{ sslmode: 'allow' }, true],
  [{ sslmode: 'prefer' }, true],
  [{ sslmode: 'require' }, true],
  [{ sslmode: 'require', sslnegotiation: 'direct' }, true],
  [{ sslmode: 'require', channel_binding: 'require' }, true],
  [{ sslmode: 'require', sslrootcert: 'ca.pem' }, true],
  [{ sslmode: 'require', sslrootcert: 'foreign-ca.pem' }, NAMES_SSLROOTCERT],
  [{ sslmode: 'verify-ca', sslrootcert: 'ca.pem' }, true],
  [{ sslmode: 'verify-ca', sslrootcert: 'foreign-ca.pem' }, NAMES_SSLROOTCERT],
  [{ sslmode: 'verify-ca', sslrootcert: 'same-name.pem' }, NAMES_SSLROOTCERT],
  [{ host: 'localhost', sslmode: 'verify-full', sslrootcert: 'ca.pem' }, true],
  [{ host: 'localhost', sslmode: 'verify-full' }, NAMES_SSLROOTCERT],
  [
    { host: '127.0.0.1', sslmode: 'verify-full', sslrootcert: 'ca.pem' },
    expect.stringMatching(/is for another host name.*verify-ca/),
  ],
  [{ user: 'needs_tls', sslmode: 'prefer' }, true],
  [{ user: 'needs_tls' }, expect.stringMatching(/accepts no connection without TLS: add sslmode=/)],
  [
    { user: 'needs_certificate', sslmode: 'require' },
    expect.stringMatching(/wants a client certificate.*sslcert=/),
  ],
  [{ user: 'needs_certificate', sslmode: 'require', sslcert: 'client.pem', sslkey: 'client.key' }, true],
])(
  'a Postgres with TLS answers a connection with %j: %s',
  async (parameters: Record<string, string>, expected) => {
    expect(await tryAddress(address(postgres, parameters))).toEqual(expected);
  },
);

test('a start that trusts no authority of the database ends with a fault of the settings', async () => {
  const DATABASE_URL = address(postgres, { sslmode: 'verify-full' });
  const config = readConfig({ DATABASE_URL, SECRET_KEY: '0'.repeat(64) }, false);
  const started = openResources(config, observeNothing);
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(/^DATABASE_URL: .*sslrootcert=/);
});

test.each([
  [{ sslmode: 'prefer' }, false],
  [{ sslmode: 'allow' }, false],
  [{ sslmode: 'require' }, expect.stringMatching(/offers no TLS.*sslmode=disable/)],
  [{ sslmode: 'verify-full', sslrootcert: 'ca.pem' }, expect.stringMatching(/offers no TLS/)],
])(
  'a Postgres without TLS answers a connection with %j: %s',
  async (parameters: Record<string, string>, expected) => {
    expect(await tryAddress(address(plain, parameters))).toEqual(expected);
  },
);

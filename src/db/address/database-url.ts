/**
 * Reads the address of a Postgres as `psql` does:
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING. The driver's own reader accepts unknown
 * parameters, and reads `sslmode=require` as `verify-full`.
 */
import type { PoolConfig } from 'pg';
import { SSL_MODES, tlsFaults, tlsOf } from './tls-options.ts';

type Parameters = ReadonlyMap<string, string>;

/**
 * Parameters of libpq that change nothing here, because Carillon does the same anyway, or because the driver has no
 * such feature.
 */
const IGNORED: ReadonlySet<string> = new Set([
  'client_encoding',
  'fallback_application_name',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'load_balance_hosts',
  'sslcertmode',
  'sslcompression',
  'sslsni',
  'tcp_user_timeout',
  'uselibpqcompat',
]);
const READ: ReadonlySet<string> = new Set([
  'application_name',
  'channel_binding',
  'connect_timeout',
  'dbname',
  'host',
  'options',
  'password',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslpassword',
  'sslrootcert',
  'target_session_attrs',
  'user',
]);
/** Parameters of other programs, each with what to do instead. */
const OF_OTHERS: ReadonlyMap<string, string> = new Map([
  ['pgbouncer', 'set DATABASE_POOLER'],
  ['schema', 'set search_path for the role'],
  ['statement_timeout', 'Carillon sets it itself'],
]);
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'];
/** The values that suit an address with one host, which leads to the primary. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'];
const FORM =
  'must have the form postgres://user:password@host:5432/database, with # / ? @ : and % in a password written as %23 %2F %3F %40 %3A and %25';

/** @returns the faults of an address, each as the rest of a sentence, without secrets; empty if it can be used */
export function databaseUrlFaults(text: string): string[] {
  const url = parse(text);
  if (typeof url === 'string') return [url];
  const parameters = new Map(url.searchParams);
  return [
    ...hostFaults(url, parameters),
    ...[...parameters.keys()].flatMap(nameFaults),
    ...valueFaults(parameters),
    ...tlsFaults(parameters),
  ];
}

/** @returns the driver's options for an address. @throws {Error} if it has faults, or its files cannot be read */
export function connectionOf(text: string): PoolConfig {
  const url = parse(text);
  if (typeof url === 'string') throw new Error(`the address of the database ${url}`);
  const parameters = new Map(url.searchParams);
  const host = parameters.get('host') ?? plain(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const port = parameters.get('port') ?? url.port;
  const seconds = Number(parameters.get('connect_timeout') ?? 0);
  const named = {
    user: parameters.get('user') ?? plain(url.username),
    password: parameters.get('password') ?? plain(url.password),
    database: parameters.get('dbname') ?? plain(url.pathname.slice(1)),
    host: host === HOST_OF_PARAMETERS ? '' : host,
    application_name: parameters.get('application_name') ?? '',
    options: parameters.get('options') ?? '',
  };
  return {
    // Values that are not given are left to the driver, which reads PGHOST and similar variables, as psql does.
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== '')),
    ...(port !== '' && { port: Number(port) }),
    ...(seconds > 0 && { connectionTimeoutMillis: seconds * 1_000 }),
    ...(['prefer', 'require'].includes(parameters.get('channel_binding') ?? '') && {
      enableChannelBinding: true,
    }),
    ...(host.startsWith('/') ? { ssl: false } : tlsOf(parameters)),
  };
}

/** Stands for a host that the address leaves to its parameters, as in `postgres://user@/db?host=/run`: `URL` refuses that. */
const HOST_OF_PARAMETERS = 'host-of-parameters.invalid';

/** @returns the rest of a sentence if it is not an address of a Postgres */
function parse(text: string): URL | string {
  const url = URL.parse(text.replace('@/', `@${HOST_OF_PARAMETERS}/`));
  if (url === null) return /^postgres(ql)?:\/\/[^/?#]*,/.test(text) ? SEVERAL_HOSTS : FORM;
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') return FORM;
  try {
    decodeURIComponent(text);
  } catch {
    return FORM;
  }
  return url.hash === '' ? url : FORM;
}

const SEVERAL_HOSTS =
  'names several hosts, which the driver cannot choose from: give one address that leads to the primary (docs/postgres.md)';

function hostFaults({ hostname }: URL, parameters: Parameters): string[] {
  const several = hostname.includes(',') || parameters.get('host')?.includes(',') === true;
  return several ? [SEVERAL_HOSTS] : [];
}

function nameFaults(name: string): string[] {
  if (READ.has(name) || IGNORED.has(name)) return [];
  const instead = OF_OTHERS.get(name);
  // A password with a question mark in it may look like a parameter.
  const shown = /^[a-z_]{1,32}$/.test(name) ? `the parameter ${name}` : 'a parameter';
  return [`has ${shown}, which Carillon does not know: ${instead ?? 'remove it'}`];
}

function valueFaults(parameters: Parameters): string[] {
  const oneOf = (name: string, values: readonly string[], else_ = ''): string[] => {
    const value = parameters.get(name);
    return value === undefined || values.includes(value)
      ? []
      : [`has a ${name} that is not one of ${values.join(', ')}${else_}`];
  };
  const number = (name: string, max: number): string[] => {
    const value = parameters.get(name);
    return value === undefined || (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= max)
      ? []
      : [`has a ${name} that is not a whole number from 1 to ${max}`];
  };
  return [
    ...(parameters.get('sslmode') === 'no-verify' ? [] : oneOf('sslmode', SSL_MODES)),
    ...oneOf('ssl', ['true', 'false', '1', '0', 'no-verify'], '; sslmode says more'),
    ...oneOf('sslnegotiation', ['postgres', 'direct']),
    ...oneOf('channel_binding', CHANNEL_BINDINGS),
    ...oneOf('target_session_attrs', SESSION_ATTRIBUTES, ': Carillon writes'),
    ...number('connect_timeout', 600),
    ...number('port', 65_535),
  ];
}

function plain(encoded: string): string {
  return decodeURIComponent(encoded);
}

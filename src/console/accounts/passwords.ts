/** Hashes passwords with argon2id, each with its parameters: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../../api/errors.ts';
import { text } from '../../api/parse.ts';

/** The second choice of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. It takes about 50 ms. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashing takes a thread of the pool that the whole process shares, so a flood of sign-ins may only occupy half of it. */
const RUNNING_MAX = 2;
const WAITING_MAX = 32;

const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const hashWith = promisify(argon2);

/** Length counts; rules about the kinds of characters make passwords worse (NIST SP 800-63B). */
export const newPassword = text(256, 12);

/** Limits the wrong passwords of a user. */
export interface GuessLimit {
  /** Called just before a password is checked, perhaps after a wait for others; throws to end the attempt. */
  refuse(): void;
  countWrong(): void;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time if there is no hash. @throws {ApiError} `rate_limited` if too many passwords are waiting */
  matches(password: string, hash: string | null | undefined, limit: GuessLimit): Promise<boolean>;
}

export function openPasswords(): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];

  /** Only a few run at once; the others wait for their turn. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= RUNNING_MAX) {
      if (waiting.length >= WAITING_MAX) {
        throw new ApiError('rate_limited', {
          message: 'Too many people are signing in at this moment; try again in a few seconds.',
          retryAfterSeconds: 2,
        });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    hash: async (password) =>
      inTurn(async () => {
        const salt = randomBytes(SALT_BYTES);
        const { memory, passes, parallelism } = PARAMETERS;
        const hash = await digest(password, salt, PARAMETERS);
        return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
      }),
    matches: async (password, stored, limit) =>
      inTurn(async () => {
        limit.refuse();
        const known = readHash(stored ?? '');
        const actual = await digest(
          password,
          known?.salt ?? randomBytes(SALT_BYTES),
          known?.how ?? PARAMETERS,
        );
        const isMatch = known !== undefined && timingSafeEqual(actual, known.hash);
        if (!isMatch) limit.countWrong();
        return isMatch;
      }),
  };
}

async function digest(password: string, nonce: Buffer, how: Parameters): Promise<Buffer> {
  return hashWith('argon2id', { message: password.normalize('NFKC'), nonce, tagLength: HASH_BYTES, ...how });
}

interface Parameters {
  memory: number;
  passes: number;
  parallelism: number;
}

function readHash(stored: string): { how: Parameters; salt: Buffer; hash: Buffer } | undefined {
  const match = FORM.exec(stored);
  if (match === null) return undefined;
  const [memory = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  const [salt = '', hash = ''] = match.slice(4);
  const how = { memory, passes, parallelism };
  return { how, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

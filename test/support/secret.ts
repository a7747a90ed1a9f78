import { randomBytes } from 'node:crypto';
import { parseSecretKey } from '../../src/process/secret-key.ts';

/** Seals what the tests of a file have sealed. */
export const testSecret = parseSecretKey(randomBytes(32).toString('hex'));

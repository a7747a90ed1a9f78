import { createSecretKey, randomBytes } from 'node:crypto';

/** Seals what the tests of a file have sealed. */
export const testSecret = createSecretKey(randomBytes(32));

import { createSecretKey, randomBytes } from 'node:crypto';
import { makeTokenKey, type TokenKey, type TokenKeys } from '../../src/apps/token-keys.ts';

/** Of every app, and in no database. */
export const tokenKey: TokenKey = makeTokenKey('any app', createSecretKey(randomBytes(32)));

export const tokenKeys: TokenKeys = { of: async () => tokenKey };

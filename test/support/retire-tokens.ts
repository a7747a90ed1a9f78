import { type Kysely, sql } from 'kysely';
import type { TokenKeys } from '../../src/apps/token-keys.ts';
import type { Database } from '../../src/db/tables.ts';
import {
  type DeadToken,
  type EncryptedToken,
  encryptToken,
  retiringTokens,
} from '../../src/devices/tokens/retire-store.ts';

type TokenOfApp = Omit<DeadToken, keyof EncryptedToken> & { appId: string };

/**
 * Retires tokens as delivery does, by one statement per app.
 * @returns how many devices lost their token
 */
export async function retireTokens(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  tokens: readonly TokenOfApp[],
  now: Date,
): Promise<number> {
  let count = 0;
  for (const [appId, ofApp] of Map.groupBy(tokens, (token) => token.appId)) {
    const tokenKey = await tokenKeys.of(appId);
    const dead = ofApp.map((token) => Object.assign(encryptToken(tokenKey, token.pushToken), token));
    const { rows } = await sql<{ retired: number }>`
      with ${retiringTokens(appId, dead, now)} select count(*) as retired from retired`.execute(db);
    count += rows[0]?.retired ?? 0;
  }
  return count;
}

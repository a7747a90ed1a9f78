/** The schemas of the settings of Postgres. `settings.ts` describes them. */
import { z } from 'zod';
import { databaseUrlFaults } from '../db/address/database-url.ts';
import type { Pooler } from '../db/connect.ts';
import { settings } from './settings.ts';

const POOLERS = ['none', 'transaction', 'transaction_prepared'] as const satisfies readonly Pooler[];

export const databaseFields = {
  DATABASE_URL: databaseUrl().optional(),
  DATABASE_POOLER: z
    .enum(POOLERS, 'must be none, transaction or transaction_prepared')
    .default(settings.DATABASE_POOLER.default),
  DATABASE_REPLICA_URL: databaseUrl().optional(),
  DATABASE_REPLICA_MAX_LAG_SECONDS: z
    .string()
    .default(settings.DATABASE_REPLICA_MAX_LAG_SECONDS.default)
    .refine((text) => /^[1-9]\d?$/.test(text), 'must be a whole number from 1 to 99')
    .transform(Number),
};

function databaseUrl() {
  return z.string().superRefine((text, context) => {
    for (const fault of databaseUrlFaults(text)) context.addIssue(fault);
  });
}

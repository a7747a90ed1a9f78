/**
 * For waits that only guard against hanging. Vitest's own second is too short: while three workers of the tests and their
 * processes share two cores, anything may be late by several seconds.
 */
export const PATIENCE = { timeout: 30_000 } as const;

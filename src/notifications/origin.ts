/** The request that created a notification, for the log and the traces of its delivery. */
import type { Selectable } from 'kysely';
import type { NotificationsTable } from '../db/tables.ts';

export interface Origin {
  requestId: string;
  /** The W3C Trace Context of the request; null if it was not traced. */
  traceparent: string | null;
}

export const originColumns = ['request_id', 'traceparent'] as const;

export function originOf(row: Pick<Selectable<NotificationsTable>, (typeof originColumns)[number]>): Origin {
  return { requestId: row.request_id, traceparent: row.traceparent };
}

/** Where a notification came from: what the log and the traces of its delivery lead back to. */
import type { Selectable } from 'kysely';
import type { NotificationsTable } from '../db/tables.ts';

export interface Origin {
  /** The id of the request that created it. */
  requestId: string;
  /** W3C Trace Context of its creation; null where that was not traced. */
  traceparent: string | null;
}

/** The columns of `notifications` that hold it. */
export const originColumns = ['request_id', 'traceparent'] as const;

export function originOf(row: Pick<Selectable<NotificationsTable>, (typeof originColumns)[number]>): Origin {
  return { requestId: row.request_id, traceparent: row.traceparent };
}

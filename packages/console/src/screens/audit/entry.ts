/** The API's form of an entry of the audit log. */
export interface AuditEntry {
  id: string;
  at: string;
  by: { kind: 'key' | 'user' | 'command_line' | 'server'; id: string; name: string | null };
  action: string;
  object_id: string | null;
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
  address: string | null;
  request_id: string | null;
}

export interface AuditPage {
  entries: readonly AuditEntry[];
  meta: { cursor: string | null };
}

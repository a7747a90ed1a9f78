from typing import Literal, cast

AuditEntryByKind = Literal["command_line", "key", "server", "user"]


def check_audit_entry_by_kind(value: str) -> AuditEntryByKind:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(AuditEntryByKind, value)

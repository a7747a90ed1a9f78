from typing import Literal, cast

ExportAuditAction = Literal[
    "app.android_set",
    "app.created",
    "app.frequency_caps_set",
    "app.quiet_hours_set",
    "audience.created",
    "audience.deleted",
    "channel.broadcast",
    "channel.created",
    "channel.deleted",
    "channel.deletion_refused",
    "console_user.added",
    "console_user.link_made",
    "console_user.password_set",
    "console_user.removed",
    "console_user.role_changed",
    "console_user.signed_out",
    "credentials.removed",
    "credentials.set",
    "device.erased",
    "device.events_reported",
    "device.flagged_development",
    "device.open_reported",
    "device.registered",
    "device.unflagged_development",
    "device.updated",
    "devices.imported",
    "devices.receipts_reported",
    "devices.tokens_restored",
    "key.created",
    "key.revoked",
    "notification.canceled",
    "notification.created",
    "route.resumed",
    "secret_key.replaced",
    "users.events_reported",
    "users.updated",
    "webhook.created",
    "webhook.event_sent_again",
    "webhook.removed",
    "webhook.tested",
]


def check_export_audit_action(value: str) -> ExportAuditAction:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ExportAuditAction, value)

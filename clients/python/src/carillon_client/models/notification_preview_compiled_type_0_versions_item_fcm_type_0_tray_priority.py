from typing import Literal, cast

NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority = Literal[
    "high", "normal"
]


def check_notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_priority(
    value: str,
) -> NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority, value)

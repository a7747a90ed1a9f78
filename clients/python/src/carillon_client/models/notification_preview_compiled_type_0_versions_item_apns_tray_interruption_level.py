from typing import Literal, cast

NotificationPreviewCompiledType0VersionsItemApnsTrayInterruptionLevel = Literal[
    "active", "critical", "passive", "time-sensitive"
]


def check_notification_preview_compiled_type_0_versions_item_apns_tray_interruption_level(
    value: str,
) -> NotificationPreviewCompiledType0VersionsItemApnsTrayInterruptionLevel:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(
        NotificationPreviewCompiledType0VersionsItemApnsTrayInterruptionLevel, value
    )

from typing import Literal, cast

NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel = Literal[
    "active", "critical", "passive", "time-sensitive"
]


def check_notification_preview_compiled_type_0_device_type_0_apns_tray_interruption_level(
    value: str,
) -> NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(
        NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel, value
    )

from typing import Literal, cast

NotificationPreviewCompiledType0DeviceType0FcmType0TrayPriority = Literal[
    "high", "normal"
]


def check_notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray_priority(
    value: str,
) -> NotificationPreviewCompiledType0DeviceType0FcmType0TrayPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationPreviewCompiledType0DeviceType0FcmType0TrayPriority, value)

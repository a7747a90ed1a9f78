from typing import Literal, cast

NotificationPreviewCompiledType0DeviceType0FcmType0TrayDrawnBy = Literal[
    "android", "app"
]


def check_notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray_drawn_by(
    value: str,
) -> NotificationPreviewCompiledType0DeviceType0FcmType0TrayDrawnBy:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationPreviewCompiledType0DeviceType0FcmType0TrayDrawnBy, value)

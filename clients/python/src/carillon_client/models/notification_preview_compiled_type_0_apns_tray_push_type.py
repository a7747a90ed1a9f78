from typing import Literal, cast

NotificationPreviewCompiledType0ApnsTrayPushType = Literal[
    "alert",
    "background",
    "complication",
    "controls",
    "fileprovider",
    "liveactivity",
    "location",
    "pushtotalk",
    "voip",
    "widgets",
]


def check_notification_preview_compiled_type_0_apns_tray_push_type(
    value: str,
) -> NotificationPreviewCompiledType0ApnsTrayPushType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationPreviewCompiledType0ApnsTrayPushType, value)

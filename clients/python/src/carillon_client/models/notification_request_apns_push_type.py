from typing import Literal, cast

NotificationRequestApnsPushType = Literal[
    "alert",
    "background",
    "complication",
    "controls",
    "fileprovider",
    "location",
    "pushtotalk",
    "voip",
    "widgets",
]


def check_notification_request_apns_push_type(
    value: str,
) -> NotificationRequestApnsPushType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestApnsPushType, value)

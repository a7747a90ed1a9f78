from typing import Literal, cast

NotificationRequestAndroidVisibility = Literal[
    "PRIVATE", "private", "PUBLIC", "public", "secret", "SECRET"
]


def check_notification_request_android_visibility(
    value: str,
) -> NotificationRequestAndroidVisibility:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestAndroidVisibility, value)

from typing import Literal, cast

NotificationRequestAndroidPresentation = Literal["data", "system"]


def check_notification_request_android_presentation(
    value: str,
) -> NotificationRequestAndroidPresentation:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestAndroidPresentation, value)

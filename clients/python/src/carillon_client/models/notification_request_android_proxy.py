from typing import Literal, cast

NotificationRequestAndroidProxy = Literal[
    "allow", "ALLOW", "DENY", "deny", "if_priority_lowered", "IF_PRIORITY_LOWERED"
]


def check_notification_request_android_proxy(
    value: str,
) -> NotificationRequestAndroidProxy:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestAndroidProxy, value)

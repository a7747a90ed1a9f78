from typing import Literal, cast

NotificationRequestAndroidProxy = Literal[
    "ALLOW", "allow", "DENY", "deny", "IF_PRIORITY_LOWERED", "if_priority_lowered"
]


def check_notification_request_android_proxy(
    value: str,
) -> NotificationRequestAndroidProxy:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationRequestAndroidProxy, value)

from typing import Literal, cast

NotificationToType = Literal["Audience", "Device", "User"]


def check_notification_to_type(value: str) -> NotificationToType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationToType, value)

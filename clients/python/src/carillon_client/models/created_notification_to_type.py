from typing import Literal, cast

CreatedNotificationToType = Literal["Audience", "Device", "User"]


def check_created_notification_to_type(value: str) -> CreatedNotificationToType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreatedNotificationToType, value)

from typing import Literal, cast

NotificationMadeByType0Type = Literal["key", "user"]


def check_notification_made_by_type_0_type(value: str) -> NotificationMadeByType0Type:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationMadeByType0Type, value)

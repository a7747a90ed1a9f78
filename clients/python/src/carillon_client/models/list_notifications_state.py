from typing import Literal, cast

ListNotificationsState = Literal[
    "canceled", "failed", "scheduled", "sending", "sent", "validated"
]


def check_list_notifications_state(value: str) -> ListNotificationsState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ListNotificationsState, value)

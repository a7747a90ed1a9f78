from typing import Literal, cast

NotificationWavesItemState = Literal[
    "canceled", "done", "planned", "sending", "waiting"
]


def check_notification_waves_item_state(value: str) -> NotificationWavesItemState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationWavesItemState, value)

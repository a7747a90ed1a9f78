from typing import Literal, cast

CreateBroadcastBroadcastEvent = Literal["end", "update"]


def check_create_broadcast_broadcast_event(value: str) -> CreateBroadcastBroadcastEvent:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreateBroadcastBroadcastEvent, value)

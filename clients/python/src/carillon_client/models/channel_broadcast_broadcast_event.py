from typing import Literal, cast

ChannelBroadcastBroadcastEvent = Literal["end", "update"]


def check_channel_broadcast_broadcast_event(
    value: str,
) -> ChannelBroadcastBroadcastEvent:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelBroadcastBroadcastEvent, value)

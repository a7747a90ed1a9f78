from typing import Literal, cast

ChannelBroadcastBroadcastState = Literal[
    "expired", "rejected", "replaced", "sending", "sent", "waiting"
]


def check_channel_broadcast_broadcast_state(
    value: str,
) -> ChannelBroadcastBroadcastState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelBroadcastBroadcastState, value)

from typing import Literal, cast

ChannelDetailBroadcastsItemState = Literal[
    "expired", "rejected", "replaced", "sending", "sent", "waiting"
]


def check_channel_detail_broadcasts_item_state(
    value: str,
) -> ChannelDetailBroadcastsItemState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelDetailBroadcastsItemState, value)

from typing import Literal, cast

ChannelDetailChannelState = Literal["deleting", "ended", "open"]


def check_channel_detail_channel_state(value: str) -> ChannelDetailChannelState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelDetailChannelState, value)

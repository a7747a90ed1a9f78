from typing import Literal, cast

ChannelChannelState = Literal["deleting", "ended", "open"]


def check_channel_channel_state(value: str) -> ChannelChannelState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelChannelState, value)

from typing import Literal, cast

ChannelChannelStorage = Literal["latest", "none"]


def check_channel_channel_storage(value: str) -> ChannelChannelStorage:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelChannelStorage, value)

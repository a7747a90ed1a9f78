from typing import Literal, cast

ChannelDetailChannelEnvironment = Literal["production", "sandbox"]


def check_channel_detail_channel_environment(
    value: str,
) -> ChannelDetailChannelEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelDetailChannelEnvironment, value)

from typing import Literal, cast

ChannelChannelEnvironment = Literal["production", "sandbox"]


def check_channel_channel_environment(value: str) -> ChannelChannelEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelChannelEnvironment, value)

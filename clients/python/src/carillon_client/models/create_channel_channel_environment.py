from typing import Literal, cast

CreateChannelChannelEnvironment = Literal["production", "sandbox"]


def check_create_channel_channel_environment(
    value: str,
) -> CreateChannelChannelEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreateChannelChannelEnvironment, value)

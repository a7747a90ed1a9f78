from typing import Literal, cast

CompareChannelsEnvironment = Literal["production", "sandbox"]


def check_compare_channels_environment(value: str) -> CompareChannelsEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CompareChannelsEnvironment, value)

from typing import Literal, cast

SetFrequencyCapsFrequencyCapsItemBy = Literal["device", "user"]


def check_set_frequency_caps_frequency_caps_item_by(
    value: str,
) -> SetFrequencyCapsFrequencyCapsItemBy:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(SetFrequencyCapsFrequencyCapsItemBy, value)

from typing import Literal, cast

FrequencyCapsFrequencyCapsItemBy = Literal["device", "user"]


def check_frequency_caps_frequency_caps_item_by(
    value: str,
) -> FrequencyCapsFrequencyCapsItemBy:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(FrequencyCapsFrequencyCapsItemBy, value)

from typing import Literal, cast

DeliverAtLocalIfPast = Literal["next_day", "now", "skip"]


def check_deliver_at_local_if_past(value: str) -> DeliverAtLocalIfPast:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeliverAtLocalIfPast, value)

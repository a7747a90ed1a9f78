from typing import Literal, cast

AppAppRoutesItemPauseType0Cause = Literal["credentials", "tokens"]


def check_app_app_routes_item_pause_type_0_cause(
    value: str,
) -> AppAppRoutesItemPauseType0Cause:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(AppAppRoutesItemPauseType0Cause, value)

from typing import Literal, cast

CredentialsRoutesItemPauseType0Cause = Literal["credentials", "tokens"]


def check_credentials_routes_item_pause_type_0_cause(
    value: str,
) -> CredentialsRoutesItemPauseType0Cause:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CredentialsRoutesItemPauseType0Cause, value)

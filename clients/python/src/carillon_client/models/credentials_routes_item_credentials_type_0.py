from typing import Literal, cast

CredentialsRoutesItemCredentialsType0 = Literal["all", "production", "sandbox"]


def check_credentials_routes_item_credentials_type_0(
    value: str,
) -> CredentialsRoutesItemCredentialsType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CredentialsRoutesItemCredentialsType0, value)

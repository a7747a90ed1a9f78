from typing import Literal, cast

CredentialsCredentialsItemIdentity = Literal["key", "process"]


def check_credentials_credentials_item_identity(
    value: str,
) -> CredentialsCredentialsItemIdentity:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CredentialsCredentialsItemIdentity, value)

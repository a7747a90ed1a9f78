from typing import Literal, cast

CredentialsCredentialsItemEnvironment = Literal["all", "production", "sandbox"]


def check_credentials_credentials_item_environment(
    value: str,
) -> CredentialsCredentialsItemEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CredentialsCredentialsItemEnvironment, value)

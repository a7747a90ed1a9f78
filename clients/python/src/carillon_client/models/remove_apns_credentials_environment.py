from typing import Literal, cast

RemoveApnsCredentialsEnvironment = Literal["all", "production", "sandbox"]


def check_remove_apns_credentials_environment(
    value: str,
) -> RemoveApnsCredentialsEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RemoveApnsCredentialsEnvironment, value)

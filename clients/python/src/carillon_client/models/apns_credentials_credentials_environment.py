from typing import Literal, cast

ApnsCredentialsCredentialsEnvironment = Literal["all", "production", "sandbox"]


def check_apns_credentials_credentials_environment(
    value: str,
) -> ApnsCredentialsCredentialsEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ApnsCredentialsCredentialsEnvironment, value)

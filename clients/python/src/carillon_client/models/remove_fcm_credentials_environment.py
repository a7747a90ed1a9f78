from typing import Literal, cast

RemoveFcmCredentialsEnvironment = Literal["all", "production", "sandbox"]


def check_remove_fcm_credentials_environment(
    value: str,
) -> RemoveFcmCredentialsEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RemoveFcmCredentialsEnvironment, value)

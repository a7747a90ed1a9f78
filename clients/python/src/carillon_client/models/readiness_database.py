from typing import Literal, cast

ReadinessDatabase = Literal["down", "up"]


def check_readiness_database(value: str) -> ReadinessDatabase:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ReadinessDatabase, value)

from typing import Literal, cast

ReadinessStatus = Literal["down", "up"]


def check_readiness_status(value: str) -> ReadinessStatus:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ReadinessStatus, value)

"""User tokens: a back end vouches for the user of a phone (docs/connect.md, "Prove the user")."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping


def sign_user_token(
    user_id: str,
    *,
    app: str,
    key_id: str,
    secret: bytes,
    email: str | None = None,
    expires_in: int = 3600,
    push_token: str | None = None,
    now: float | None = None,
) -> str:
    """The token that a phone sends as `user_token`, signed by HS256, the one algorithm that the standard library has.

    `app` is the bundle id, `key_id` the id under which the server has the secret, `expires_in` seconds, 86,400 at most.
    With `push_token` it is good for that one alone.
    """
    if len(secret) < 32:
        raise ValueError("a secret has at least 32 bytes")
    issued = int(time.time() if now is None else now)
    claims: dict[str, str | int] = {"sub": user_id, "aud": app, "iat": issued, "exp": issued + expires_in}
    if email is not None:
        claims["email"] = email
    if push_token is not None:
        claims["push_token"] = push_token
    signed = b".".join(_encoded(part) for part in ({"alg": "HS256", "typ": "JWT", "kid": key_id}, claims))
    signature = hmac.new(secret, signed, hashlib.sha256).digest()
    return b".".join((signed, base64.urlsafe_b64encode(signature).rstrip(b"="))).decode()


def _encoded(part: Mapping[str, str | int]) -> bytes:
    return base64.urlsafe_b64encode(json.dumps(part, separators=(",", ":")).encode()).rstrip(b"=")

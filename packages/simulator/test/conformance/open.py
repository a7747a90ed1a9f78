"""Opens the bodies of pushes by http_ece. Reads JSON from standard input, prints the texts as JSON."""

import json
import sys
from base64 import urlsafe_b64decode

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec


def of_base64url(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def text_of(push: dict) -> str:
    private_key = ec.derive_private_key(int.from_bytes(of_base64url(push["privateKey"]), "big"), ec.SECP256R1())
    body, auth = of_base64url(push["body"]), of_base64url(push["auth"])
    return http_ece.decrypt(body, private_key=private_key, auth_secret=auth, version="aes128gcm").decode()


print(json.dumps([text_of(push) for push in json.load(sys.stdin)]))

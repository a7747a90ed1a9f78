-- Texts that only the device reads (docs/decisions/0057-encrypted-texts.md).

alter table devices
  add encryption_key text; -- public key of P-256 that the app registered: '<x>.<y>', each in base64url; null: none

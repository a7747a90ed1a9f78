package carillon

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// UserToken is what a back end says of the user of a phone (docs/connect.md, "Prove the user").
type UserToken struct {
	// UserID is the `user_id`.
	UserID string
	// Email is the `user_email`, if the app uses it.
	Email string
	// App is the bundle id of the app.
	App string
	// KeyID is the id under which the server has the key.
	KeyID string
	// ExpiresIn is for how long the token is good: an hour by default, 24 hours at most.
	ExpiresIn time.Duration
	// PushToken is the only push token with which it may be used; any, if it is empty.
	PushToken string
}

// Sign returns the token that a phone sends as `user_token`. The key is an [*ecdsa.PrivateKey] of P-256 (ES256), an
// [ed25519.PrivateKey] (EdDSA) or a secret of 32 bytes or more (HS256).
func (t UserToken) Sign(key any) (string, error) {
	return t.signAt(key, time.Now())
}

func (t UserToken) signAt(key any, now time.Time) (string, error) {
	algorithm, sign, err := signerOf(key)
	if err != nil {
		return "", err
	}
	expiresIn := t.ExpiresIn
	if expiresIn == 0 {
		expiresIn = time.Hour
	}
	header, err := encodePart(map[string]string{"alg": algorithm, "typ": "JWT", "kid": t.KeyID})
	if err != nil {
		return "", err
	}
	claims, err := encodePart(struct {
		Subject   string `json:"sub"`
		Audience  string `json:"aud"`
		IssuedAt  int64  `json:"iat"`
		ExpiresAt int64  `json:"exp"`
		Email     string `json:"email,omitempty"`
		PushToken string `json:"push_token,omitempty"`
	}{t.UserID, t.App, now.Unix(), now.Add(expiresIn).Unix(), t.Email, t.PushToken})
	if err != nil {
		return "", err
	}
	signed := header + "." + claims
	signature, err := sign([]byte(signed))
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func signerOf(key any) (string, func([]byte) ([]byte, error), error) {
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		if key.Curve.Params().Name != "P-256" {
			return "", nil, errors.New("carillon: ES256 needs a key of P-256")
		}
		return "ES256", func(signed []byte) ([]byte, error) {
			hash := sha256.Sum256(signed)
			r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
			if err != nil {
				return nil, err
			}
			signature := make([]byte, 64)
			r.FillBytes(signature[:32])
			s.FillBytes(signature[32:])
			return signature, nil
		}, nil
	case ed25519.PrivateKey:
		return "EdDSA", func(signed []byte) ([]byte, error) {
			return key.Sign(rand.Reader, signed, crypto.Hash(0))
		}, nil
	case []byte:
		if len(key) < 32 {
			return "", nil, errors.New("carillon: a secret has at least 32 bytes")
		}
		return "HS256", func(signed []byte) ([]byte, error) {
			code := hmac.New(sha256.New, key)
			code.Write(signed)
			return code.Sum(nil), nil
		}, nil
	default:
		return "", nil, errors.New("carillon: the key is no *ecdsa.PrivateKey, ed25519.PrivateKey or []byte")
	}
}

func encodePart(part any) (string, error) {
	text, err := json.Marshal(part)
	return base64.RawURLEncoding.EncodeToString(text), err
}

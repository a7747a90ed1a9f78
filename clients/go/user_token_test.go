package carillon

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestAUserTokenIsSignedByEachAlgorithm(t *testing.T) {
	onP256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte(strings.Repeat("s", 32))
	for algorithm, one := range map[string]struct {
		key      any
		verifies func(signed, signature []byte) bool
	}{
		"ES256": {onP256, func(signed, signature []byte) bool {
			hash := sha256.Sum256(signed)
			r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
			return len(signature) == 64 && ecdsa.Verify(&onP256.PublicKey, hash[:], r, s)
		}},
		"EdDSA": {private, func(signed, signature []byte) bool { return ed25519.Verify(public, signed, signature) }},
		"HS256": {secret, func(signed, signature []byte) bool {
			code := hmac.New(sha256.New, secret)
			code.Write(signed)
			return hmac.Equal(code.Sum(nil), signature)
		}},
	} {
		token, err := UserToken{UserID: "user-17", App: "com.example.app", KeyID: "k1"}.signAt(one.key, time.Unix(1795262400, 0))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(token, ".")
		header, _ := base64.RawURLEncoding.DecodeString(parts[0])
		claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
		signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
		if want := `{"alg":"` + algorithm + `","kid":"k1","typ":"JWT"}`; string(header) != want {
			t.Errorf("got the header %s instead of %s", header, want)
		}
		if want := `{"sub":"user-17","aud":"com.example.app","iat":1795262400,"exp":1795266000}`; string(claims) != want {
			t.Errorf("got the claims %s instead of %s", claims, want)
		}
		if !one.verifies([]byte(parts[0]+"."+parts[1]), signature) {
			t.Errorf("the signature by %s does not verify", algorithm)
		}
	}
}

func TestAWeakOrForeignKeySignsNoUserToken(t *testing.T) {
	onP384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []any{onP384, []byte("short"), "a text", nil} {
		if token, err := (UserToken{UserID: "user-17"}).Sign(key); err == nil {
			t.Errorf("%T has signed %s", key, token)
		}
	}
}

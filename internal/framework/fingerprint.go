package framework

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// Fingerprint recognizes values that the service never returns, without storing them: it has a salted HMAC for each name. It reports
// whether a planned value differs, even a write-only one. It belongs in the private state and is written after the service has
// accepted values, never while planning: a failed write must not look done.
type Fingerprint struct {
	// Salt is random for each resource, so that equal values of two resources have different MACs.
	Salt []byte `json:"salt"`
	// MACs has the HMACs by name of the value.
	MACs map[string]string `json:"macs"`
}

// LoadFingerprint returns the fingerprint under key, or an empty one, which matches nothing.
func LoadFingerprint(ctx context.Context, private PrivateReader, key PrivateKey) (Fingerprint, diag.Diagnostics) {
	var f Fingerprint
	diags := LoadPrivate(ctx, private, key, &f)
	return f, diags
}

// Save writes the fingerprint under key.
func (f Fingerprint) Save(ctx context.Context, private PrivateWriter, key PrivateKey) diag.Diagnostics {
	return SavePrivate(ctx, private, key, f)
}

// With returns the fingerprint with a value that the service has accepted under name.
func (f Fingerprint) With(name, value string) Fingerprint {
	next := Fingerprint{Salt: f.Salt, MACs: map[string]string{}}
	if len(next.Salt) == 0 {
		next.Salt = NewSalt()
	}
	maps.Copy(next.MACs, f.MACs)
	next.MACs[name] = next.mac(name, value)
	return next
}

// Holds reports whether a value was accepted under name.
func (f Fingerprint) Holds(name string) bool { return f.MACs[name] != "" }

// Matches reports whether value was accepted under name.
func (f Fingerprint) Matches(name, value string) bool {
	return f.Holds(name) && hmac.Equal([]byte(f.MACs[name]), []byte(f.mac(name, value)))
}

func (f Fingerprint) mac(name, value string) string { return MAC(f.Salt, name, value) }

// NewSalt returns a random salt for a resource.
func NewSalt() []byte {
	salt := make([]byte, sha256.Size)
	_, _ = rand.Read(salt) // Never fails; see crypto/rand.
	return salt
}

// MAC returns the salted HMAC of a value, in hexadecimal. It includes the name, so that equal values under two names have different
// MACs.
func MAC(salt []byte, name, value string) string {
	h := hmac.New(sha256.New, salt)
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write([]byte(value))
	return hex.EncodeToString(h.Sum(nil))
}

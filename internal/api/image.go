package api

import (
	"regexp"
	"strings"
)

var sha256Digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// CompleteDigest reports whether the reference of an image has no SHA-256 digest or one of 64 digits. No registry finds another one.
func CompleteDigest(image string) bool {
	_, digest, found := strings.Cut(image, "@sha256:")
	return !found || sha256Digest.MatchString(digest)
}

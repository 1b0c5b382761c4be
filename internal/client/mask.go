package client

import (
	"cmp"
	"encoding/json"
	"html"
	"slices"
	"strings"
)

// minSecretLength keeps values like "1" and "on" from shredding every message.
const minSecretLength = 4

// newMask replaces secrets by "***". Services echo their input in error messages, and Terraform prints those.
func newMask(secrets ...string) func(string) string {
	var forms []string
	for _, secret := range secrets {
		if len(secret) < minSecretLength {
			continue
		}
		forms = append(forms, secret, html.EscapeString(secret))
		if quoted, err := json.Marshal(secret); err == nil {
			forms = append(forms, string(quoted[1:len(quoted)-1]))
		}
	}
	// The longest first, so that a secret that contains another one leaves no rest behind.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, "***")
	}
	return strings.NewReplacer(pairs...).Replace
}

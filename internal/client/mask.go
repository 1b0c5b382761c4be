package client

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"slices"
	"strings"
)

// minSecretLength keeps values like "1" and "on" from shredding every message.
const minSecretLength = 4

type secretsKey struct{}

// WithSecrets keeps values out of the errors of all requests under the context: a service may quote in one answer what
// an earlier request carried.
func WithSecrets(ctx context.Context, values ...string) context.Context {
	return context.WithValue(ctx, secretsKey{}, slices.Concat(secretsIn(ctx), values))
}

func secretsIn(ctx context.Context) []string {
	values, _ := ctx.Value(secretsKey{}).([]string)
	return values
}

// Mask takes the context's secrets out of a text that the service wrote.
func Mask(ctx context.Context, text string) string { return newMask(secretsIn(ctx)...)(text) }

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

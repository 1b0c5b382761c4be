package direct

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// privateData is the framework's type of private states, which has no name outside of the framework. What a resource is asked
// with and what it answers have one each, because resources change that of the answer.
type privateData[T any] interface {
	*T
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// setPrivate decodes a private state. It reports false where the framework would encode it in another way, or keeps
// something of its own there.
func setPrivate[T any, P privateData[T]](ctx context.Context, data []byte, private *P) bool {
	*private = new(T)
	if len(data) == 0 {
		return len((*private).SetKey(ctx, "none", nil)) == 0 // Empty, not nil.
	}
	var keys map[string][]byte
	if json.Unmarshal(data, &keys) != nil {
		return false
	}
	for key, value := range keys {
		if strings.HasPrefix(key, ".") || len(value) == 0 || len((*private).SetKey(ctx, key, value)) > 0 {
			return false
		}
	}
	encoded, err := json.Marshal(keys)
	return err == nil && bytes.Equal(encoded, data)
}

package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// privateData is the framework's type of private states, which is internal to the framework. Requests and responses each have one,
// because resources change that of the response.
type privateData[T any] interface {
	*T
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// setPrivate decodes a private state. It returns false if the framework would encode it differently, or stores its own data in it.
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

// encodePrivate encodes a private state as the framework does. The framework doesn't export a way to list the keys.
func encodePrivate[T any, P privateData[T]](ctx context.Context, private P) ([]byte, bool) {
	data := reflect.ValueOf(private).Elem()
	if data.Kind() != reflect.Struct || data.NumField() != 1 || data.Field(0).Kind() != reflect.Map {
		return nil, false
	}
	keys := map[string][]byte{}
	for _, key := range data.Field(0).MapKeys() {
		value, diags := private.GetKey(ctx, key.String())
		if len(diags) > 0 {
			return nil, false
		}
		keys[key.String()] = value
	}
	if len(keys) == 0 {
		return nil, true
	}
	encoded, err := json.Marshal(keys)
	return encoded, err == nil
}

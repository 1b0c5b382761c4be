package direct

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// kinds are the types of resources or data sources of a provider. Each is described when it is first used.
type kinds[T, K any] struct {
	// list returns the constructors of those that can be called directly, by type.
	list func(context.Context) map[string]func() T
	// describe returns nil for a type with unusual features.
	describe func(context.Context, func() T) *K

	mu        sync.Mutex
	listed    map[string]func() T
	described map[string]*K
}

// find returns a type if it can be called directly.
func (k *kinds[T, K]) find(ctx context.Context, typeName string) (*K, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.listed == nil {
		k.listed, k.described = k.list(ctx), map[string]*K{}
	}
	found, known := k.described[typeName]
	if construct, ok := k.listed[typeName]; ok && !known {
		found = k.describe(ctx, construct)
		k.described[typeName] = found
	}
	return found, found != nil
}

// decode decodes an object that is not null, and its attributes.
func decode(as tftypes.Type, encoded *tfprotov6.DynamicValue) (object tftypes.Value, attributes map[string]tftypes.Value, ok bool) {
	if encoded == nil {
		return object, nil, false
	}
	object, err := encoded.Unmarshal(as)
	if err != nil || object.IsNull() || object.As(&attributes) != nil {
		return object, nil, false
	}
	return object, attributes, true
}

// decodePrior decodes a state like decode, or one that is null: then it has no attributes.
func decodePrior(as tftypes.Type, encoded *tfprotov6.DynamicValue) (object tftypes.Value, attributes map[string]tftypes.Value, ok bool) {
	if encoded == nil {
		return object, nil, false
	}
	if isNull, err := encoded.IsNull(); err == nil && isNull {
		return tftypes.NewValue(as, nil), nil, true
	}
	return decode(as, encoded)
}

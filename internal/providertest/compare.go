package providertest

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// Compared has every answer that the provider gives without the plugin framework compared with the framework's own.
func Compared(t *testing.T) provider.Option { return provider.WithComparison(SameAnswers(t)) }

// comparedOnce is Compared in tests that run once. What runs in a second dialect, too, gives its answers there without the
// framework, as it does outside of tests.
func comparedOnce(t *testing.T) []provider.Option {
	if inFurtherDialect(t) {
		return nil
	}
	return []provider.Option{Compared(t)}
}

// SameAnswers fails the test if what is asked or answered without the framework differs from what the framework asks or
// answers.
func SameAnswers(t *testing.T) func(resourceType string, direct, framework any) {
	return func(resourceType string, direct, framework any) {
		if diff := cmp.Diff(framework, direct, cmp.Comparer(encodedAlike), withoutSchemas()); diff != "" {
			t.Errorf("%s: %T without the framework differs from the framework's (-framework +without):\n%s", resourceType, direct, diff)
		}
	}
}

// encodedAlike reports whether two values have the same encoding but for the order of the keys of maps, which is random.
func encodedAlike(a, b *tfprotov6.DynamicValue) bool {
	if a == nil || b == nil {
		return a == b
	}
	return len(a.MsgPack) == len(b.MsgPack) && bytes.Equal(sorted(a.MsgPack), sorted(b.MsgPack)) && bytes.Equal(a.JSON, b.JSON)
}

// sorted is data with the keys of maps in order; what can't be decoded stays as it is.
func sorted(data []byte) []byte {
	ty, err := msgpack.ImpliedType(data)
	if err != nil {
		return data
	}
	value, err := msgpack.Unmarshal(data, ty)
	if err != nil {
		return data
	}
	encoded, err := msgpack.Marshal(value, ty)
	if err != nil {
		return data
	}
	return encoded
}

// withoutSchemas leaves out the schemas that requests to resources carry beside their values.
func withoutSchemas() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Schema" }, cmp.Ignore())
}

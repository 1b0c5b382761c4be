package providertest

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Compare expects the plugin framework to give the same responses as the provider gives without it. The table of all resources does; anywhere
// else it takes a fifth of the time, and AGENTPLANE_TEST_CLI asks for it.
func (p *Plane) Compare() *Plane {
	p.compares = true
	return p
}

// SameAnswers fails the test if a request or response of the direct path differs from the framework's.
func SameAnswers(t *testing.T) func(resourceType string, direct, framework any) {
	return func(resourceType string, direct, framework any) {
		if diff := cmp.Diff(framework, direct, cmp.Comparer(encodedAlike), withoutSchemas()); diff != "" {
			t.Errorf("%s: %T without the framework differs from the framework's (-framework +without):\n%s", resourceType, direct, diff)
		}
	}
}

// encodedAlike reports whether two values have the same encoding, except for the order of map keys, which is random.
func encodedAlike(a, b *tfprotov6.DynamicValue) bool {
	if a == nil || b == nil {
		return a == b
	}
	return len(a.MsgPack) == len(b.MsgPack) && bytes.Equal(sorted(a.MsgPack), sorted(b.MsgPack)) && bytes.Equal(a.JSON, b.JSON)
}

// sorted returns data with map keys in order; undecodable data stays unchanged.
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

// withoutSchemas ignores the schemas in requests to resources.
func withoutSchemas() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Schema" }, cmp.Ignore())
}

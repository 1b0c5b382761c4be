package resourcespec

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// specGenerator generates known values of resource_spec from the types of its schema, so that new fields are covered
// automatically. It contains only the service's rules, within which values are arbitrary.
type specGenerator struct {
	*rand.Rand
	fractions bool // Fractions of cores, which some installations refuse.
}

// someTexts are the possible strings; the empty one is as frequent as others.
var someTexts = []string{
	"", "a", "true", "null", "42", "with space", "ünïcödé ☃ 🦜", "line\nbreak\ttab", `"quoted" \back\ `, "<a&b>", "\u2028",
	strings.Repeat("long", 50),
}

// someObjects are free-form objects as users write them.
var someObjects = []string{
	`{}`, `{ "a" : {} }`, `{"list":[],"nothing":null,"empty":""}`, `{"z":1,"a":2}`, `{"n":12345678901234567890,"f":0.1}`,
	`{"html":"<b>&</b>","snow":"☃","escaped":"\u0041"}`, "{\n  \"deep\": {\"er\": [{\"x\": [[1], []]}]}\n}",
}

// spec returns a resource_spec; about a third of its fields are null.
func (g *specGenerator) spec() types.Object {
	attributeTypes := Types()
	names := slices.Sorted(maps.Keys(attributeTypes))
	values := map[string]attr.Value{}
	for _, name := range names {
		values[name] = g.optional(attributeTypes[name], name)
	}
	g.equalToDefaults(values)
	g.consistent(values)
	return types.ObjectValueMust(attributeTypes, values)
}

func (g *specGenerator) optional(t attr.Type, name string) attr.Value {
	if g.Intn(3) == 0 {
		return framework.NullOf(t)
	}
	return g.value(t, name)
}

func (g *specGenerator) value(t attr.Type, name string) attr.Value {
	switch t := t.(type) {
	case basetypes.Int64Type:
		return types.Int64Value(g.integer(name))
	case basetypes.Float64Type:
		return types.Float64Value(g.cores(name))
	case basetypes.BoolType:
		return types.BoolValue(g.Intn(2) == 0)
	case jsontypes.NormalizedType:
		return jsontypes.NewNormalizedValue(pick(g, someObjects))
	case basetypes.StringType:
		return types.StringValue(g.text(name))
	case basetypes.ListType:
		elements := make([]attr.Value, g.Intn(4))
		for i := range elements {
			elements[i] = numbered(g.value(t.ElemType, name), i)
		}
		return types.ListValueMust(t.ElemType, elements)
	case basetypes.MapType:
		elements := map[string]attr.Value{}
		for i := range g.Intn(4) {
			elements[fmt.Sprintf("%s%d", pick(g, someTexts), i)] = g.value(t.ElemType, name)
		}
		return types.MapValueMust(t.ElemType, elements)
	case basetypes.ObjectType:
		values := map[string]attr.Value{}
		for _, attribute := range slices.Sorted(maps.Keys(t.AttrTypes)) {
			if slices.Contains([]string{"name", "image", "mount_path"}, attribute) { // Required in all shapes.
				values[attribute] = g.value(t.AttrTypes[attribute], attribute)
				continue
			}
			values[attribute] = g.optional(t.AttrTypes[attribute], attribute)
		}
		return types.ObjectValueMust(t.AttrTypes, values)
	}
	panic(fmt.Sprintf("specGenerator doesn't support %T", t))
}

// integer returns requests below limits, and no values that are too large for the service, even if it doubles them.
func (g *specGenerator) integer(name string) int64 {
	switch {
	case strings.Contains(name, "limit"):
		return 1<<30 + g.Int63n(1<<30)
	case strings.Contains(name, "max_scale"):
		return 1000 + g.Int63n(1<<30)
	case strings.Contains(name, "min_scale"):
		return g.Int63n(1000)
	}
	return g.Int63n(1 << uint(1+g.Intn(28)))
}

func (g *specGenerator) cores(name string) float64 {
	cores := float64(g.Intn(64))
	if strings.Contains(name, "limit") {
		cores += 1000
	}
	if g.fractions || strings.HasPrefix(name, "db_") {
		cores += pick(g, []float64{0, 0.1, 0.25, 0.5, 1.0 / 3})
	}
	return cores
}

func (g *specGenerator) text(name string) string {
	switch name {
	case "name":
		return "x"
	case "service_account_name":
		return "agents"
	case "image":
		return pick(g, []string{"chat", "registry.example.com/agents/chat:1"})
	case "image_pull_policy":
		return pick(g, []string{"Always", "Never", "IfNotPresent"})
	case "restart_policy":
		return pick(g, []string{"Always", "OnFailure"})
	}
	return pick(g, someTexts)
}

// numbered makes the name of the i-th element of a list unique.
func numbered(element attr.Value, i int) attr.Value {
	o, ok := element.(types.Object)
	if !ok {
		return element
	}
	if _, named := o.Attributes()["name"]; !named {
		return element
	}
	return frameworktest.With(o, "name", types.StringValue(fmt.Sprintf("x%d", i)))
}

// equalToDefaults sets some fields to their defaults, which is the same as omitting them.
func (g *specGenerator) equalToDefaults(values map[string]attr.Value) {
	for _, rule := range api.DerivedFields {
		if values[rule.From].IsNull() || g.Intn(4) != 0 {
			continue
		}
		switch base := values[rule.From].(type) {
		case types.Int64:
			values[rule.Field] = types.Int64Value(base.ValueInt64() * rule.Factor)
		case types.Float64:
			values[rule.Field] = types.Float64Value(base.ValueFloat64() * float64(rule.Factor))
		}
	}
}

// consistent changes values to satisfy the rules about several fields.
func (g *specGenerator) consistent(values map[string]attr.Value) {
	mounts := func(list attr.Value) attr.Value {
		var volumes []types.Object
		for _, volume := range objects(Path, values["volumes"]) {
			volumes = append(volumes, volume)
		}
		count := 0
		return mapObjects(list, func(mount types.Object) types.Object {
			count++
			place := fmt.Sprintf("/%d%s", count, mount.Attributes()["mount_path"].(types.String).ValueString())
			mount = frameworktest.With(mount, "mount_path", types.StringValue(place))
			mount = frameworktest.With(mount, pick(g, []string{"sub_path", "sub_path_expr"}), types.StringNull())
			return frameworktest.With(mount, "name", pick(g, volumes).Attributes()["name"])
		}, len(volumes) > 0)
	}
	values["volumes"] = mapObjects(values["volumes"], func(volume types.Object) types.Object {
		sources := slices.DeleteFunc(slices.Sorted(maps.Keys(volume.Attributes())), func(name string) bool { return name == "name" })
		kept := pick(g, sources)
		for _, source := range sources {
			volume = frameworktest.With(volume, source, jsontypes.NewNormalizedNull())
		}
		return frameworktest.With(volume, kept, jsontypes.NewNormalizedValue(pick(g, someObjects)))
	}, true)
	values["volume_mounts"] = mounts(values["volume_mounts"])
	for _, list := range []string{"init_containers", "sidecars"} {
		values[list] = mapObjects(values[list], func(container types.Object) types.Object {
			container = frameworktest.With(container, "name", types.StringValue(list[:4]+container.Attributes()["name"].(types.String).ValueString()))
			container = frameworktest.With(container, "volume_mounts", mounts(container.Attributes()["volume_mounts"]))
			return frameworktest.With(container, "env", mapObjects(container.Attributes()["env"], func(variable types.Object) types.Object {
				if value, _ := knownText(variable.Attributes()["value"]); value != "" {
					return frameworktest.With(variable, "value_from_json", jsontypes.NewNormalizedNull())
				}
				return variable
			}, true))
		}, true)
		// DNS labels have no underscores.
		values[list] = mapObjects(values[list], func(container types.Object) types.Object {
			if list == "init_containers" { // Only sidecars can be restarted.
				container = frameworktest.With(container, "restart_policy", types.StringNull())
			}
			name := container.Attributes()["name"].(types.String).ValueString()
			return frameworktest.With(container, "name", types.StringValue(strings.ReplaceAll(name, "_", "-")))
		}, true)
	}
}

// mapObjects changes each object of a list; if that isn't possible, the list becomes empty.
func mapObjects(list attr.Value, change func(types.Object) types.Object, possible bool) attr.Value {
	l := list.(types.List)
	if l.IsNull() {
		return l
	}
	elements := []attr.Value{}
	for _, o := range objects(Path, l) {
		if possible {
			elements = append(elements, change(o))
		}
	}
	return types.ListValueMust(l.ElementType(nil), elements) //nolint:staticcheck // The context is not used.
}

func pick[T any](g *specGenerator, of []T) T { return of[g.Intn(len(of))] }

// eachSpec tests a property with generated specs. A failure contains the seed.
func eachSpec(t *testing.T, seeds int64, fractions bool, check func(t *testing.T, seed int64, spec types.Object)) {
	t.Helper()
	for seed := range seeds {
		generator := &specGenerator{Rand: rand.New(rand.NewSource(seed)), fractions: fractions}
		check(t, seed, generator.spec())
		if t.Failed() {
			t.Fatalf("failed with seed %d", seed)
		}
	}
}

// TestGeneratorReachesEverything checks that the property tests cover all fields: every attribute at every depth must
// be generated with a value somewhere.
func TestGeneratorReachesEverything(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	walkTypes(types.ObjectType{AttrTypes: Types()}, "", func(at string) { missing[at] = true })
	delete(missing, ".init_containers.restart_policy") // Refused.
	eachSpec(t, 60, true, func(_ *testing.T, _ int64, spec types.Object) {
		walkValues(spec, "", func(at string) { delete(missing, at) })
	})
	if len(missing) > 0 {
		t.Errorf("attributes that are never generated: %v", slices.Sorted(maps.Keys(missing)))
	}
	if !json.Valid([]byte(someObjects[len(someObjects)-1])) {
		t.Error("the last free-form object isn't valid JSON")
	}
}

// walkTypes visits every attribute of a nested type by its path.
func walkTypes(t attr.Type, at string, visit func(string)) {
	if list, ok := t.(basetypes.ListType); ok {
		walkTypes(list.ElemType, at, visit)
	}
	if nested, ok := t.(basetypes.ObjectType); ok {
		for name, attributeType := range nested.AttrTypes {
			visit(at + "." + name)
			walkTypes(attributeType, at+"."+name, visit)
		}
	}
}

// walkValues visits every attribute that has a value.
func walkValues(value attr.Value, at string, visit func(string)) {
	switch v := value.(type) {
	case types.List:
		for _, element := range v.Elements() {
			walkValues(element, at, visit)
		}
	case types.Object:
		for name, attribute := range v.Attributes() {
			if !attribute.IsNull() {
				visit(at + "." + name)
				walkValues(attribute, at+"."+name, visit)
			}
		}
	}
}

package table

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTable_dataSources reads the object with the data sources for one and for all: they have what the state has. Answers that say nothing
// of it are errors.
func TestAccTable_dataSources(t *testing.T) {
	eachRow(t, func(s *subject) {
		rpc := s.Plane.RPC()
		one, all := rpc.Schema.DataSourceSchemas[s.typeName], rpc.Schema.DataSourceSchemas[s.typeName+"s"]
		s.needs(one != nil || all != nil, "No data source reads it.")
		s.converges("create", s.config)
		state := rpc.Attributes(rpc.Value(s.State.Attributes()), rpc.Schema.ResourceSchemas[s.typeName].ValueType())
		for name, schema := range map[string]*tfprotov6.Schema{s.typeName: one, s.typeName + "s": all} {
			if schema == nil {
				continue // Which data sources there are, the golden schema says.
			}
			s.t.Run(name, func(t *testing.T) {
				config := object{}
				for _, a := range schema.Block.Attributes {
					if a.Required || schema == one && a.Name == s.key {
						config[a.Name] = s.config[a.Name]
					}
				}
				read := func() (*tfprotov6.DynamicValue, string) {
					rpc := s.Plane.RPC() // A client that has had a right answer knows that the address is right.
					answer, err := rpc.Server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: rpc.Value(config)})
					rpc.OK(err, nil)
					return answer.State, providertest.Told(answer.Diagnostics)
				}
				value, told := read()
				if told != "" {
					t.Fatal(told)
				}
				found := rpc.Attributes(value, schema.ValueType())
				if schema == all {
					found = s.listed(t, found)
				}
				same := 0
				for attribute, got := range found {
					want, has := state[attribute]
					switch {
					case !has || want.IsNull() || attribute == "workspace_id" || !got.Type().Equal(want.Type()):
					case attribute == "source_config" && s.Plane.Dialect().HidesSettings:
					case !got.Equal(want):
						t.Errorf("%s is %s, want %s", attribute, got, want)
					default:
						same++
					}
				}
				if same < 2 { // The key is one.
					t.Errorf("%d attributes are those of the resource", same)
				}
				for _, failure := range providertest.ReadFailures {
					for _, match := range slices.Compact([]string{s.list, s.reads()}) {
						failure.Fault.Match = match
						s.Plane.Arm(failure.Fault)()
					}
					_, told := read()
					contains(t, told, "ERROR: Cannot ", s.addressed(failure.Want))
					s.recovers()
				}
			})
		}
	})
}

// listed is the object in a list of all.
func (s *subject) listed(t *testing.T, attributes map[string]tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	for _, list := range attributes {
		var elements []tftypes.Value
		if !list.Type().Is(tftypes.List{}) || list.As(&elements) != nil {
			continue
		}
		for _, element := range elements {
			var members map[string]tftypes.Value
			var key string
			if element.As(&members) == nil && members[s.key].As(&key) == nil && key == s.config[s.key] {
				return members
			}
		}
	}
	return nil
}

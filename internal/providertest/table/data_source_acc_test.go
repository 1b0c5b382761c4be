package table

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTable_dataSources reads the object with the data sources for one, by each of its keys, and for all: they have what the state has.
// Keys that no object has are errors, and so are answers that say nothing of it.
func TestAccTable_dataSources(t *testing.T) {
	eachRow(t, func(s *subject) {
		rpc := s.Plane.RPC()
		one, all := rpc.Schema.DataSourceSchemas[s.typeName], rpc.Schema.DataSourceSchemas[s.typeName+"s"]
		s.needs(one != nil || all != nil, "No data source reads it.")
		s.config = s.with(s.whole)
		s.converges("create", s.config)
		state := rpc.Attributes(rpc.Value(s.State.Attributes()), rpc.Schema.ResourceSchemas[s.typeName].ValueType())
		for name, schema := range map[string]*tfprotov6.Schema{s.typeName: one, s.typeName + "s": all} {
			if schema == nil {
				continue // Which data sources there are, the golden schema says.
			}
			s.t.Run(name, func(t *testing.T) {
				scope, keys := object{}, object{}
				for _, a := range schema.Block.Attributes {
					switch {
					case schema == one && (a.Name == s.key || a.Name == "id" && a.Optional):
						keys[a.Name] = s.State.Attributes()[a.Name]
					case a.Required:
						scope[a.Name] = s.config[a.Name]
					}
				}
				read := func(more object) (map[string]tftypes.Value, string) {
					config := maps.Clone(scope)
					maps.Copy(config, more)
					rpc := s.Plane.RPC() // A client that has had a right answer knows that the address is right.
					answer, err := rpc.Server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: rpc.Value(config)})
					rpc.OK(err, nil)
					return rpc.Attributes(answer.State, schema.ValueType()), providertest.Told(answer.Diagnostics)
				}
				var last object
				for key, value := range keys {
					last = object{key: value}
					found, told := read(last)
					s.shows(t, state, found, told)
					missing, want := "nobody", "lists the existing ones"
					switch {
					case key == "id":
						missing, want = providertest.WorkspaceID, "Status: 404"
					case len(keys) == 1: // The service looks it up.
						want = "Status: 404"
					}
					_, told = read(object{key: missing})
					contains(t, told, "ERROR: ", missing, want)
				}
				if schema == all {
					found, told := read(nil)
					s.shows(t, state, s.listed(t, found), told)
				}
				for _, failure := range providertest.ReadFailures {
					for _, match := range slices.Compact([]string{s.list, s.reads()}) {
						failure.Fault.Match = match
						s.Plane.Arm(failure.Fault)()
					}
					_, told := read(last)
					contains(t, told, "ERROR: Cannot ", s.addressed(failure.Want))
					s.recovers()
				}
			})
		}
	})
}

// shows expects what the state of the object has, as far as a data source knows it.
func (s *subject) shows(t *testing.T, state, found map[string]tftypes.Value, told string) {
	t.Helper()
	if told != "" {
		t.Fatal(told)
	}
	same := 0
	for attribute, got := range found {
		want, has := state[attribute]
		switch {
		case !has || want.IsNull() || attribute == "workspace_id" || !got.Type().Equal(want.Type()) || slices.Contains(s.unread, attribute):
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

package table

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// needsQuery skips a resource without a list resource.
func (s *subject) needsQuery() {
	s.t.Helper()
	s.needs(s.Plane.RPC().Schema.ListResourceSchemas[s.typeName] != nil, "It has no list resource.")
}

// query lists objects with the arguments that the list resource requires.
func (s *subject) query(rpc *providertest.RPC, workspace string, limit int64, more object) (found []tfprotov6.ListResourceResult, told string) {
	config := object{"workspace_id": workspace}
	for _, a := range rpc.Schema.ListResourceSchemas[s.typeName].Block.Attributes {
		if a.Required {
			config[a.Name] = s.config[a.Name]
		}
	}
	maps.Copy(config, more)
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: s.typeName, IncludeResource: true, Limit: limit}, config)
	return found, providertest.Told(diags)
}

// TestAccTable_list lists an object with its identity and with all that a configuration of it needs, in each workspace.
func TestAccTable_list(t *testing.T) {
	eachWorkspace(t, func(s *subject, workspace string) {
		s.needsQuery()
		s.converges("create", s.config)
		rpc := s.Plane.RPC()
		for _, found := range s.one(rpc, workspace, nil) {
			names, identity := s.identity(rpc)
			if diff := cmp.Diff(identity, rpc.Identity(found.Identity, names...)); diff != "" {
				s.t.Errorf("identity (-want +got):\n%s", diff)
			}
			if want := s.fill(s.display); found.DisplayName != want {
				s.t.Errorf("the name is %q, want %q", found.DisplayName, want)
			}
			if strings.Contains(string(found.Resource.MsgPack), "canary") {
				s.t.Error("a secret is listed")
			}
			if s.config["access_token_wo"] == nil { // A generated configuration can't have it.
				rpc.PlansNothing(s.typeName, found)
			}
		}
		s.Plane.Arm(devserver.Fault{Match: s.list, Status: 403, Detail: "No access"})()
		_, told := s.query(rpc, workspace, 0, nil)
		contains(s.t, told, "ERROR: Cannot list ", "No access")
	})
}

// other makes another object, with the required arguments alone.
func (s *subject) other(workspace string) {
	s.t.Helper()
	config := maps.Clone(s.row.config(s.Plane))
	config["workspace_id"], config[s.key] = workspace, "other"
	if s.key == "provider_id" && s.read == "" {
		s.Plane.Call("POST", "/v2/auth/providers", login("other"), nil)
	}
	s.Plane.Drive(s.t, s.typeName).Make(config)
}

// one queries, and returns the object, which has to be the only one of the row.
func (s *subject) one(rpc *providertest.RPC, workspace string, more object) []tfprotov6.ListResourceResult {
	s.t.Helper()
	all, told := s.query(rpc, workspace, 0, more)
	var ours []tfprotov6.ListResourceResult
	for _, found := range all {
		if found.DisplayName != "dev-cluster" { // Every dev server has this listener.
			ours = append(ours, found)
		}
	}
	if told != "" || len(ours) != 1 {
		s.t.Errorf("%v finds %d objects, want one: %s", more, len(ours), told)
	}
	return ours
}

// TestAccTable_filters queries with each argument of the list resource: it finds what matches.
func TestAccTable_filters(t *testing.T) {
	eachWorkspace(t, func(s *subject, workspace string) {
		s.needsQuery()
		rpc := s.Plane.RPC()
		arguments := slices.DeleteFunc(settable(rpc.Schema.ListResourceSchemas[s.typeName].Block.Attributes), func(a *tfprotov6.SchemaAttribute) bool {
			return a.Required || a.Name == "workspace_id"
		})
		s.needs(len(arguments) > 0, "Its query has no filters.")
		s.complete("query.", arguments, s.filters)
		s.converges("create", s.config)
		s.other(workspace)
		s.one(rpc, workspace, s.filters)
		for name, value := range s.filters {
			s.one(rpc, workspace, object{name: value})
		}
	})
}

// TestAccTable_pages lists more objects than a page has, and as many as a query asks for.
func TestAccTable_pages(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.needsQuery()
		s.needs(!strings.Contains(s.create, "{"), "An agent has few.")
		s.Make(s.config)
		method, path, _ := strings.Cut(s.create, " ")
		var body object
		if err := json.Unmarshal(s.Plane.Requests(method, path)[0].Body, &body); err != nil {
			s.t.Fatal(err)
		}
		const copies = 101
		for i := range copies {
			if s.key != "provider_id" || s.read != "" {
				body[s.key] = fmt.Sprintf("copy-%03d", i)
			}
			s.call(s.create, body, nil)
		}
		rpc := s.Plane.RPC()
		names, _ := s.identity(rpc)
		singles := s.sent(s.reads())
		found, told := s.query(rpc, providertest.WorkspaceID, 0, nil)
		identities := map[string]bool{}
		for _, each := range found {
			identities[fmt.Sprint(rpc.Identity(each.Identity, names...))] = true
		}
		if told != "" || len(identities) != len(found) || len(found) != copies+1+s.seeded {
			s.t.Errorf("%d objects, %d identities, want %d of both: %s", len(found), len(identities), copies+1+s.seeded, told)
		}
		if single := s.sent(s.reads()) - singles; s.read != "" && single > 0 {
			s.t.Errorf("%d objects were read one by one", single)
		}
		if found, _ := s.query(rpc, providertest.WorkspaceID, 2, nil); len(found) != 2 {
			s.t.Errorf("%d objects, want two", len(found))
		}
	})
}

// TestAccTable_page expects the configuration that a page of the web UI shows to have all arguments.
func TestAccTable_page(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.needs(s.page != "", "No page of the web UI has its configuration alone.")
		s.config = s.with(s.whole)
		s.converges("create", s.config)
		request := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://localhost"+s.page, http.NoBody)
		request.Header.Set("X-Api-Key", providertest.APIKey)
		answer := httptest.NewRecorder()
		s.Plane.Service.ServeHTTP(answer, request)
		_, shown, found := strings.Cut(html.UnescapeString(answer.Body.String()), "resource \""+s.typeName)
		if !found {
			s.t.Fatalf("%s, status %d, shows no %s: leave the page out of the row if the web UI has none", s.page, answer.Code, s.typeName)
		}
		for name := range s.config {
			onlyInTerraform := name == "timeouts" || name == "deletion_protection"
			if !onlyInTerraform && !regexp.MustCompile(`\b`+name+` += `).MatchString(shown) {
				s.t.Errorf("%s, status %d, has no %s in:\n%s", s.page, answer.Code, name, shown)
			}
		}
	})
}

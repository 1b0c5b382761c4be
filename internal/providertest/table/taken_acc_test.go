package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestAccTable_taken plans objects whose key another object has: a new one with a warning, and a replacement, which would be destroyed in
// vain, with an error. Plans that create nothing don't look.
func TestAccTable_taken(t *testing.T) {
	eachRow(t, func(s *subject) {
		other := s.with(object{s.key: "other"})
		s.Make(other)
		before := s.sent(s.list)
		if _, told := s.PlanOnly(other); told != "" || s.sent(s.list) > before {
			s.t.Errorf("%d lists for a plan of nothing: %s", s.sent(s.list)-before, told)
		}
		method, path, _ := strings.Cut(s.create, " ")
		var body, theirs object
		if err := json.Unmarshal(s.Plane.Requests(method, path)[0].Body, &body); err != nil {
			s.t.Fatal(err)
		}
		body[s.key] = s.config[s.key]
		s.call(s.create, body, &theirs)
		id := fmt.Sprint(theirs[strings.Trim(s.imports[0], "{}")])
		described := s.Plane.RPC().Schema.ResourceSchemas[s.typeName].Block.Attributes
		if i := slices.IndexFunc(described, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == s.key }); replaces(described[i].Description) {
			_, told := s.Plan(s.config)
			contains(s.t, told, "ERROR: ", id, "make two applies")
			s.Plane.Arm(devserver.Fault{Match: s.list, Status: 403, Detail: "Forbidden"})()
			_, told = s.PlanOnly(s.config)
			contains(s.t, told, "ERROR: Replacement can't be checked", "Forbidden", "make two applies")
		}
		planned, _ := s.Plan(nil)
		if told := s.Apply(planned); told != "" {
			s.t.Fatal(told)
		}
		block := fmt.Sprintf("import { to = ADDRESS id = %q }", id)
		planned, told := s.Plan(s.config)
		contains(s.t, told, "WARNING: ", fmt.Sprintf("%q exists already", s.config[s.key]), block, "`moved`")
		if contains(s.t, s.Apply(planned), "ERROR: ", "Status: 409", block); s.State.Exists() {
			s.t.Error("the state has another user's object")
		}
	})
}

package table

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	otherWorkspace = "11111111-2222-4333-8444-555555555555"
	missing        = "99999999-2222-4333-8444-555555555555"
	nonexistent    = "Cannot import non-existent remote object"
)

// eachWorkspace tests a behaviour in the provider's workspace and in another one, with all arguments of the row.
func eachWorkspace(t *testing.T, test func(s *subject, workspace string)) {
	t.Helper()
	t.Parallel()
	for typeName, r := range table {
		for name, workspace := range map[string]string{"own workspace": providertest.WorkspaceID, "other workspace": otherWorkspace} {
			t.Run(typeName+"/"+name, func(t *testing.T) {
				t.Parallel()
				r.skipOmitted(t)
				plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Keys[0].Workspaces = append(cfg.Keys[0].Workspaces, otherWorkspace) })
				s := &subject{Driven: plane.Drive(t, typeName), row: r, t: t, typeName: typeName}
				s.Plane = plane.In(workspace)
				s.config = r.config(s.Plane)
				s.config = s.with(r.whole)
				s.config["workspace_id"] = workspace
				test(s, workspace)
			})
		}
	}
}

// TestAccTable_whole creates an object with all arguments of the schema: the state has them.
func TestAccTable_whole(t *testing.T) {
	eachWorkspace(t, func(s *subject, _ string) {
		s.complete("", s.arguments(), s.config)
		s.converges("create", s.config)
		s.hasConfigured()
	})
}

// hasConfigured expects the state to have each argument that a state can have.
func (s *subject) hasConfigured() {
	s.t.Helper()
	state := s.State.Attributes()
	for name, want := range s.config {
		if !s.argument(name).WriteOnly && !has(state[name], want) {
			s.t.Errorf("%s = %v, want %v", name, state[name], want)
		}
	}
}

// has reports whether a value is what is configured. Computed members of objects may be added, and sets are in another order.
func has(value, want any) bool {
	switch want := want.(type) {
	case object:
		members, is := value.(object)
		for name, member := range want {
			is = is && has(members[name], member)
		}
		return is
	case []any:
		return cmp.Equal(value, any(want), cmpopts.SortSlices(func(a, b any) bool { return fmt.Sprint(a) < fmt.Sprint(b) }))
	}
	return fmt.Sprint(value) == fmt.Sprint(want)
}

// TestAccTable_import imports an object in each form: the state is that of its creation, and the next apply sends nothing.
func TestAccTable_import(t *testing.T) {
	eachWorkspace(t, func(s *subject, workspace string) {
		s.converges("create", s.config)
		created := s.State
		for _, form := range s.imports {
			for _, prefix := range []string{"", workspace + "/"} {
				if prefix == "" && workspace == otherWorkspace {
					continue
				}
				s.State = created
				id := prefix + s.fill(form)
				d := s.Plane.Follow(s.t, s.typeName)
				if !d.Import(id) {
					s.t.Errorf("%s isn't imported: %s", id, providertest.Told(d.Diags))
					continue
				}
				unread := cmpopts.IgnoreMapEntries(func(name string, _ any) bool {
					return slices.Contains(s.unread, name) || name == "source_config" && s.Plane.Dialect().HidesSettings
				})
				if diff := cmp.Diff(created.Attributes(), d.Attributes(), unread); diff != "" {
					s.t.Errorf("%s (-created +imported):\n%s", id, diff)
				}
				s.State = d.State
				before := s.sent(s.create) + s.sent(s.update)
				s.converges(id, s.config)
				if sent := s.sent(s.create) + s.sent(s.update) - before; sent > 0 {
					s.t.Errorf("%s: %d writes were sent after the import", id, sent)
				}
			}
		}
		s.State = created
	})
}

// TestAccTable_importRefused says what is wrong with an import ID.
func TestAccTable_importRefused(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.config = s.with(s.whole)
		s.converges("create", s.config)
		for _, form := range s.imports {
			own := s.fill(form)
			invalid := " is n" // Not an import ID, or neither of two forms.
			refused := map[string]string{otherWorkspace + "/" + own: "Status: 403"}
			if !strings.HasPrefix(form, "{agent_id}") { // Any text is an ID of an agent.
				refused["default/"+own], refused["/"+own] = invalid, invalid
			}
			switch {
			case strings.HasPrefix(form, "name:"):
				refused["name:nobody"], refused["name:"] = `of the workspace has the `+strings.Trim(form[len("name:"):], "{}")+` "nobody"`, invalid
			case strings.Contains(form, "{id}"):
				refused[own+"/"], refused[strings.ReplaceAll(own, s.Text("id"), missing)] = invalid, nonexistent
			default:
				refused[own+"/"], refused["a b"], refused["nobody"] = invalid, invalid, nonexistent
			}
			for id, want := range refused {
				if want == invalid {
					want = strconv.Quote(id) + invalid
				}
				if told, ok := s.Import(id); ok {
					s.t.Errorf("%s is imported", id)
				} else {
					contains(s.t, told, "ERROR: ", want)
				}
			}
		}
	})
}

// TestAccTable_identity imports by identity without a CLI, as newer ones do, and reads the import back.
func TestAccTable_identity(t *testing.T) {
	eachWorkspace(t, func(s *subject, workspace string) {
		s.converges("create", s.config)
		rpc := s.Plane.RPC()
		names, want := s.identity(rpc)
		other, short := object{}, object{}
		for name, text := range want {
			other[name], short[name] = text, text
			if name == "id" || name == "workspace_id" {
				other[name] = strings.ToUpper(text)
			}
		}
		given := map[string]object{"whole": other}
		if workspace == providertest.WorkspaceID {
			delete(short, "workspace_id")
			given["without the workspace"] = short
		}
		for name, identity := range given {
			found, told := imported(rpc, s.typeName, identity)
			if found == nil {
				s.t.Fatalf("%s: %s", name, told)
			}
			read, err := rpc.Server.ReadResource(s.t.Context(), &tfprotov6.ReadResourceRequest{
				TypeName: s.typeName, CurrentState: found.State, Private: found.Private, CurrentIdentity: found.Identity,
			})
			rpc.OK(err, read.Diagnostics)
			for when, got := range map[string]*tfprotov6.ResourceIdentityData{"import": found.Identity, "refresh": read.NewIdentity} {
				if diff := cmp.Diff(want, rpc.Identity(got, names...)); diff != "" {
					s.t.Errorf("%s: identity after the %s (-want +got):\n%s", name, when, diff)
				}
			}
			var key string
			if err := rpc.Attributes(read.NewState, rpc.Schema.ResourceSchemas[s.typeName].ValueType())[s.key].As(&key); err != nil || key != s.config[s.key] && s.key != "provider_id" {
				s.t.Errorf("%s: imported %q, %v", name, key, err)
			}
		}
	})
}

// identity are the attributes of identities, and those of the object that aren't null.
func (s *subject) identity(rpc *providertest.RPC) (names []string, has map[string]string) {
	schemas, err := rpc.Server.GetResourceIdentitySchemas(s.t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	rpc.OK(err, schemas.Diagnostics)
	has = map[string]string{}
	for _, a := range schemas.IdentitySchemas[s.typeName].IdentityAttributes {
		names = append(names, a.Name)
		if text := s.Text(a.Name); text != "" {
			has[a.Name] = text
		}
		if a.RequiredForImport && has[a.Name] == "" {
			s.t.Errorf("the state has no %s, which an import requires", a.Name)
		}
	}
	return names, has
}

func imported(rpc *providertest.RPC, typeName string, identity object) (found *tfprotov6.ImportedResource, told string) {
	answer, err := rpc.Server.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{
		TypeName: typeName, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(identity)},
	})
	if err != nil {
		return nil, err.Error()
	}
	if len(answer.ImportedResources) == 1 {
		found = answer.ImportedResources[0]
	}
	return found, providertest.Told(answer.Diagnostics)
}

// TestImportExamples expects each resource to have examples of its imports, in forms that the other tests import: with a command and a block
// of the same ID, and with a block of an identity.
func TestImportExamples(t *testing.T) {
	t.Parallel()
	schemas, err := providertest.NewDev(t).RPC().Server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for typeName, r := range table {
		example := func(name string) string {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "resources", typeName, name))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		form := placeholder.ReplaceAllStringFunc(r.imports[0], func(name string) string {
			if name == "{agent_id}" || name == "{provider_id}" {
				return `\w+`
			}
			return `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`
		})
		command := regexp.MustCompile(`^terraform import (` + typeName + `\.\w+) (` + form + `)\n$`).FindStringSubmatch(example("import.sh"))
		if command == nil {
			t.Errorf("%s: the command imports with another form than %s:\n%s", typeName, r.imports[0], example("import.sh"))
			continue
		}
		block := "import {\n  to = " + command[1] + "\n"
		if got, want := example("import-by-string-id.tf"), fmt.Sprintf("%s  id = %q\n}\n", block, command[2]); got != want {
			t.Errorf("%s: the command imports something else than\n%s", typeName, got)
		}
		if len(placeholder.FindAllString(r.imports[0], -1)) > 1 && !r.record {
			continue // The parts of its identity are those of its ID.
		}
		var required []string
		for _, a := range schemas.IdentitySchemas[typeName].IdentityAttributes {
			if a.RequiredForImport {
				required = append(required, a.Name)
			}
		}
		last := path.Base(command[2])
		if got, want := example("import-by-identity.tf"), fmt.Sprintf("%s  identity = {\n    %s = %q\n  }\n}\n", block, strings.Join(required, " "), last); got != want {
			t.Errorf("%s: the identity is another one:\n%s", typeName, got)
		}
	}
}

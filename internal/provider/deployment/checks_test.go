package deployment

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// provider returns the data of a configured provider.
func (p *plane) provider() *framework.ProviderData {
	return &framework.ProviderData{Client: p.client, Clock: p.clock, Memo: &framework.Memo{}}
}

func seeded(t *testing.T) (*plane, devserver.Seeded) {
	t.Helper()
	p := newPlane(t)
	seed, err := p.server.Seed(t.Context(), devserver.DefaultWorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	return p, seed
}

func TestLookUp(t *testing.T) {
	t.Parallel()
	const other = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
	placed := func(id, namespace types.String) map[string]attr.Value {
		return map[string]attr.Value{"listener_id": id, "listener_config": listenerConfig(namespace)}
	}
	for name, test := range map[string]struct {
		m      func(devserver.Seeded) model
		faults []devserver.Fault
		want   []string
		detail []string
	}{
		"all is there": {func(s devserver.Seeded) model {
			return imageModel(placed(text(s.ListenerID), text(s.K8sNamespaces[1])))
		}, nil, nil, nil},
		"integration is there": {func(s devserver.Seeded) model {
			return gitModel(map[string]attr.Value{"integration_id": text(s.IntegrationID)}, nil)
		}, nil, nil, nil},
		"unknown listener": {func(devserver.Seeded) model {
			return imageModel(placed(text(other), text("agents")))
		}, nil, []string{"error source_config.listener_id: Unknown listener"}, []string{other, "dev-cluster"}},
		"namespace of no listener": {func(s devserver.Seeded) model {
			return imageModel(placed(text(s.ListenerID), text("elsewhere")))
		}, nil, []string{"error source_config.listener_config.k8s_namespace: Unknown namespace"}, []string{"elsewhere", "agents, agents-staging"}},
		"no listener": {func(devserver.Seeded) model { return imageModel(nil) }, nil,
			[]string{"error source_config.listener_id: Missing source_config.listener_id"}, []string{"dev-cluster"}},
		"no namespace": {func(s devserver.Seeded) model {
			return imageModel(map[string]attr.Value{"listener_id": text(s.ListenerID)})
		}, nil, []string{"error source_config.listener_config: Missing source_config.listener_config"}, []string{"agents, agents-staging"}},
		"unknown integration": {func(devserver.Seeded) model { return gitModel(nil, nil) }, nil,
			[]string{"error source_config.integration_id: Unknown integration"}, []string{"example-org"}},
		"nothing is known yet": {func(devserver.Seeded) model {
			m := imageModel(placed(types.StringUnknown(), types.StringUnknown()))
			m.Name = types.StringUnknown()
			return m
		}, nil, nil, nil},
		"namespace is not known": {func(s devserver.Seeded) model { return imageModel(placed(text(s.ListenerID), types.StringUnknown())) }, nil, nil, nil},
		"listeners can't be asked for": {func(s devserver.Seeded) model { return imageModel(placed(text(s.ListenerID), text("agents"))) },
			[]devserver.Fault{{Match: "GET /v2/listeners", Status: 503}},
			[]string{"warning source_config.listener_id: Not checked against the service"}, []string{"503", "only show during the apply"}},
		"integrations can't be asked for": {func(devserver.Seeded) model { return gitModel(nil, nil) },
			[]devserver.Fault{{Match: "GET /v1/integrations/git_host/install", Status: 403}},
			[]string{"warning source_config.integration_id: Not checked against the service"}, nil},
		"deployments can't be asked for": {func(s devserver.Seeded) model { return imageModel(placed(text(s.ListenerID), text("agents"))) },
			[]devserver.Fault{{Match: listing, Status: 500}}, []string{"warning name: Not checked against the service"}, nil},
		"workspace is not known": {func(devserver.Seeded) model {
			m := gitModel(nil, nil)
			m.WorkspaceID = types.StringUnknown()
			return m
		}, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, seed := seeded(t)
			p.arm(t, test.faults...)
			r := p.provider()
			diags := checkReferences(t.Context(), r, creation{planned: test.m(seed)})
			if diff := cmp.Diff(test.want, frameworktest.Lines(diags)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if len(diags) > 0 {
				wantText(t, diags[0].Detail(), test.detail...)
			}
			// The second time, only the name is looked up again, because names are unique per deployment.
			before := len(p.server.Requests())
			checkReferences(t.Context(), r, creation{planned: test.m(seed)})
			for _, again := range p.server.Requests()[before:] {
				if again.Path != "/v2/deployments" {
					t.Errorf("%s %s was sent again", again.Method, again.Path)
				}
			}
		})
	}
	t.Run("provider is not configured", func(t *testing.T) {
		t.Parallel()
		frameworktest.NoDiags(t, checkReferences(t.Context(), &framework.ProviderData{}, creation{planned: gitModel(nil, nil)}))
	})
	t.Run("there is nothing to choose from", func(t *testing.T) {
		t.Parallel()
		diags := checkReferences(t.Context(), newPlane(t).provider(), creation{planned: gitModel(nil, nil)})
		wantText(t, detail(t, diags, 0), "This workspace has none", "workspace_id")
	})
}

func TestLookUpName(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	taken := p.create(t, "taken")
	going := p.create(t, "going")
	if err := p.client.DeleteDeployment(t.Context(), going.ID, false); err != nil {
		t.Fatal(err)
	}
	old := model{dataModel: dataModel{ID: text("old"), Name: text("old")}, WorkspaceID: types.StringNull()}
	for name, test := range map[string]struct {
		replaced model
		planned  types.String
		want     []string
		says     []string
	}{
		"new, free":           {model{}, text("free"), nil, nil},
		"new, being deleted":  {model{}, text("going"), nil, nil},
		"new, in other case":  {model{}, text("TAKEN"), nil, nil},
		"new, unknown":        {model{}, types.StringUnknown(), nil, nil},
		"new, taken":          {model{}, text("taken"), []string{"warning name: Name is taken"}, []string{"tainted, there is nothing to do", "`moved` block", "    import {\n      to = ADDRESS\n      id = \"" + taken.ID + "\"\n    }"}},
		"renamed, free":       {old, text("free"), nil, nil},
		"renamed, going":      {old, text("going"), nil, nil},
		"renamed, unknown":    {old, types.StringUnknown(), []string{"warning name: Replacement not checked"}, []string{`"old" is destroyed`}},
		"renamed, taken":      {old, text("taken"), []string{"error name: Name of another deployment"}, []string{taken.ID, "two applies"}},
		"renamed to itself":   {model{dataModel: dataModel{ID: text(taken.ID), Name: text("old")}}, text("taken"), nil, nil}, // Renamed by others.
		"keeps its name":      {model{dataModel: dataModel{ID: text("old"), Name: text("taken")}}, text("taken"), nil, nil},
		"to another place":    {model{dataModel: dataModel{ID: text("old"), Name: text("taken")}, WorkspaceID: text("w2")}, text("taken"), []string{"error name: Name of another deployment"}, nil},
		"before it was known": {model{dataModel: dataModel{ID: text("old"), Name: text("taken")}, WorkspaceID: types.StringNull()}, text("taken"), nil, nil},
	} {
		r := p.provider()
		c := creation{model{dataModel: dataModel{Name: test.planned}, WorkspaceID: types.StringNull()}, test.replaced}
		diags := checkName(t.Context(), r, p.client, c)
		if diff := cmp.Diff(test.want, frameworktest.Lines(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
			continue
		}
		if len(test.says) > 0 {
			wantText(t, diags[0].Detail(), test.says...)
		}
		r.Memo.Applying.Store(true)
		if diags := checkReferences(t.Context(), r, c); len(diags) > 0 {
			t.Errorf("%s: within an apply: %s, want nothing", name, frameworktest.Lines(diags))
		}
	}
}

func TestCurrentSpec(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	sized := p.create(t, "sized", func(request *api.DeploymentCreateRequest) {
		request.SourceConfig.ResourceSpec = api.Some(specOf(t, `{"cpu":1}`))
	})
	bare := p.create(t, "bare")
	r := p.provider()
	managing := imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{"cpu": types.Float64Value(1)})})
	in := func(id string) model {
		m := imageModel(nil)
		m.ID = text(id)
		return m
	}
	spec, _, diags := current(t.Context(), r, managing, in(sized.ID))
	frameworktest.NoDiags(t, diags)
	if spec == nil || *spec.CPU != 1 {
		t.Errorf("spec = %s, want cpu 1", jsonOf(t, spec))
	}
	if spec, _, _ = current(t.Context(), r, managing, in(bare.ID)); spec == nil || spec.CPU != nil {
		t.Errorf("spec of a deployment without one = %s, want an empty one", jsonOf(t, spec))
	}
	before := p.sent(http.MethodGet, "/v2/")
	if spec, _, _ = current(t.Context(), r, managing, managing); spec != nil || p.sent(http.MethodGet, "/v2/") != before {
		t.Error("current requested the spec although the state has it")
	}
	spec, _, diags = current(t.Context(), r, managing, in("6ba7b810-9dad-41d1-80b4-00c04fd430c8"))
	if diff := cmp.Diff([]string{"warning source_config.resource_spec: Not checked against the service"}, frameworktest.Lines(diags)); diff != "" || spec != nil {
		t.Errorf("spec = %v, want nil; diagnostics (-want +got):\n%s", spec, diff)
	}
}

// TestCurrentReferences reads the service's references only if the plan starts to manage them.
func TestCurrentReferences(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	r := p.provider()
	id := text(p.create(t, "chat").ID)
	some := types.MapValueMust(referenceType(), nil)
	for name, test := range map[string]struct {
		planned, state types.Map
		asked          int
	}{
		"managed from now on": {some, noReferences(), 1},
		"managed already":     {some, some, 0},
		"not managed":         {noReferences(), noReferences(), 0},
		"no longer managed":   {noReferences(), some, 0},
		"unknown":             {types.MapUnknown(referenceType()), noReferences(), 0},
	} {
		before := p.sent(http.MethodGet, "/v2/")
		_, _, diags := current(t.Context(), r, model{dataModel: dataModel{SecretReferences: test.planned}}, model{dataModel: dataModel{ID: id, SecretReferences: test.state}})
		frameworktest.NoDiags(t, diags)
		if asked := p.sent(http.MethodGet, "/v2/") - before; asked != test.asked {
			t.Errorf("%s: %d requests, want %d", name, asked, test.asked)
		}
	}
	before := p.sent(http.MethodGet, "/v2/")
	_, _, diags := current(t.Context(), &framework.ProviderData{}, model{dataModel: dataModel{SecretReferences: some}}, model{dataModel: dataModel{ID: id, SecretReferences: noReferences()}})
	frameworktest.NoDiags(t, diags)
	if p.sent(http.MethodGet, "/v2/") != before {
		t.Error("the lookup sent a request without a client")
	}
}

func TestRefuseNamespace(t *testing.T) {
	t.Parallel()
	listenerType := framework.NestedTypes(attributeTypes("source_config")["listener_config"])
	const in = "source_config.listener_config"
	for name, test := range map[string]struct {
		on      api.ComputeType
		offered []string
		placed  types.Object
		want    []string
	}{
		"offered":                    {"k8s", []string{"a", "b"}, listenerConfig(text("b")), nil},
		"another one":                {"k8s", []string{"a", "b"}, listenerConfig(text("c")), []string{"error " + in + ".k8s_namespace: Unknown namespace"}},
		"none":                       {"k8s", []string{"a"}, types.ObjectNull(listenerType), []string{"error " + in + ": Missing " + in}},
		"not known":                  {"k8s", []string{"a"}, types.ObjectUnknown(listenerType), nil},
		"not known inside":           {"k8s", []string{"a"}, listenerConfig(types.StringUnknown()), nil},
		"the listener has no":        {"k8s", []string{}, listenerConfig(text("a")), []string{"error source_config.listener_id: Listener without namespaces"}},
		"not told":                   {"k8s", nil, listenerConfig(text("a")), nil},
		"not told, none":             {"k8s", nil, types.ObjectNull(listenerType), nil},
		"of another type":            {"vm", nil, listenerConfig(text("a")), []string{"error " + in + ": Namespace of another compute type"}},
		"of another type, none":      {"vm", nil, types.ObjectNull(listenerType), nil},
		"of another type, not known": {"vm", nil, listenerConfig(types.StringUnknown()), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := api.Listener{ID: "1", ComputeType: test.on, ComputeID: "cluster", ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: test.offered}}
			if diff := cmp.Diff(test.want, frameworktest.Lines(refuseNamespace(listener, test.placed))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSameRepository(t *testing.T) {
	t.Parallel()
	const listed = "https://git.example.com/acme/agent"
	for url, want := range map[string]bool{
		listed:                                       true,
		listed + "/":                                 true,
		listed + ".git":                              true,
		"http://GIT.example.com/Acme/Agent.git/":     true,
		"ssh://git@git.example.com/acme/agent":       true,
		"git@git.example.com:acme/agent.git":         true,
		"git.example.com:acme/agent":                 true,
		"https://git.example.com/acme/agents":        false,
		"https://git.example.com/acme":               false,
		"https://other.example.com/acme/agent":       false,
		"https://git.example.com/group/acme/agent":   false,
		"git@git.example.com:acme/agent.git/subpath": false,
	} {
		if got := sameRepository(listed, url); got != want {
			t.Errorf("sameRepository(%s) = %t, want %t", url, got, want)
		}
	}
}

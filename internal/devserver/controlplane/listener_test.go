package controlplane_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// listenerBody is the minimum for a listener, with changes.
func listenerBody(computeID string, changes ...object) object {
	return devservertest.With(object{"compute_type": "k8s", "compute_id": computeID, "compute_config": object{}}, changes...)
}

func listen(p *plane, body object) api.Listener {
	p.T.Helper()
	return devservertest.Into[api.Listener](p.Do(http.MethodPost, "/v2/listeners", body).Want(http.StatusCreated))
}

func TestListenerLifecycle(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	l := listen(p, listenerBody("east", object{
		"version": "0.2.14", "compute_config": object{"k8s_namespaces": []string{"a", "b"}}, "status": "ignored",
	}))
	want := api.Listener{
		ID: l.ID, CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z", Version: new("0.2.14"),
		ComputeType: api.ComputeTypeK8s, ComputeID: "east",
		ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: []string{"a", "b"}},
	}
	path := "/v2/listeners/" + l.ID
	check := func(step string, answered api.Listener) {
		t.Helper()
		devservertest.Same(t, step, []api.Listener{want, want}, []api.Listener{answered, devservertest.Get[api.Listener](p, path)})
	}
	check("created", l)
	for _, step := range []struct {
		name   string
		body   object
		change func()
	}{
		{"nothing", object{}, func() {}},
		{"null keeps", object{"version": nil, "compute_config": nil}, func() {}},
		{"what can't be changed is ignored", object{"compute_type": "k8s", "compute_id": "west", "id": devservertest.WorkspaceA}, func() {}},
		{"version", object{"version": "0.3.0"}, func() { want.Version = new("0.3.0") }},
		{"namespaces", object{"compute_config": object{"k8s_namespaces": []string{"c"}}}, func() {
			want.ComputeConfig.K8sNamespaces = []string{"c"}
		}},
		{"the config as a whole", object{"compute_config": object{}}, func() { want.ComputeConfig.K8sNamespaces = nil }},
	} {
		p.Clock.Advance(time.Second)
		step.change()
		patched := devservertest.Into[api.Listener](p.Do(http.MethodPatch, path, step.body).Want(http.StatusOK))
		want.UpdatedAt = patched.UpdatedAt
		if patched.UpdatedAt <= patched.CreatedAt {
			t.Errorf("%s: updated_at = %s, want it later than created_at, %s", step.name, patched.UpdatedAt, patched.CreatedAt)
		}
		check(step.name, patched)
	}
	if r := p.Do(http.MethodDelete, path, nil).Want(http.StatusNoContent); len(r.Body) > 0 {
		t.Errorf("body of the deletion's response = %s, want none", r.Body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		p.Do(method, path, nil).Want(http.StatusNotFound).WantDetail("Listener ID " + l.ID + " not found.")
	}
	p.Do(http.MethodPatch, path, object{}).Want(http.StatusNotFound)
	listen(p, listenerBody("east")) // The compute ID is available again.
}

func TestListenerRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	taken := listen(p, listenerBody("taken"))
	p.Do(http.MethodPost, "/v2/listeners", listenerBody("taken")).Want(http.StatusConflict).
		WantDetail("Listener for workspace ID '" + devservertest.WorkspaceA + "' and compute ID 'taken' already exists.")
	for name, tc := range map[string]struct {
		body object
		want []string
	}{
		"nothing":    {object{}, []string{"compute_type missing", "compute_id missing", "compute_config missing"}},
		"other type": {listenerBody("a", object{"compute_type": "vm"}), []string{"compute_type enum"}},
		"empty id":   {listenerBody(""), []string{"compute_id string_too_short"}},
		"no config":  {devservertest.With(listenerBody("a"), object{"compute_config": "x"}), []string{"compute_config dict_type"}},
		"version":    {listenerBody("a", object{"version": 1}), []string{"version string_type"}},
		"namespaces": {listenerBody("a", object{"compute_config": object{"k8s_namespaces": []any{"ok", "Not ok"}}}),
			[]string{"compute_config.k8s_namespaces.1 string_pattern_mismatch"}},
	} {
		r := p.Do(http.MethodPost, "/v2/listeners", tc.body).Want(http.StatusUnprocessableEntity)
		devservertest.Same(t, name, tc.want, devservertest.Problems(r))
	}
	r := p.Do(http.MethodPatch, "/v2/listeners/"+taken.ID, object{"compute_config": object{"k8s_namespaces": []any{"-"}}}).Want(422)
	devservertest.Same(t, "problems of a patch", []string{"compute_config.k8s_namespaces.0 string_pattern_mismatch"}, devservertest.Problems(r))
	p.Do(http.MethodPatch, "/v2/listeners/east", object{}).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodDelete, "/v2/listeners/east", nil).Want(http.StatusUnprocessableEntity)
}

func TestListenerInUseStays(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	l := listen(p, listenerBody("east"))
	place := func(name string) api.Deployment {
		return p.Create(devservertest.ImageRequest(name, object{"source_config": object{"listener_id": l.ID}}))
	}
	p.Do(http.MethodPost, "/dev/listeners", object{"compute_id": "west", "k8s_namespaces": []string{"a", "b"}}).Want(http.StatusCreated)
	page := devservertest.Get[api.List[api.Listener]](p, "/v2/listeners?limit=1&offset=1")
	if len(page.Resources) != 1 || page.Resources[0].ComputeID != "west" || len(page.Resources[0].ComputeConfig.K8sNamespaces) != 2 || page.Offset != 2 {
		t.Errorf("second page = %+v, want the listener west with two namespaces and the offset 2", page)
	}
	first, second := place("chat"), place("worker")
	path := "/v2/listeners/" + l.ID
	p.Do(http.MethodDelete, path, nil).Want(http.StatusConflict).
		WantDetail("Listener ID " + l.ID + " is used by deployments: 'chat', 'worker'. Delete them first.")
	p.Do(http.MethodDelete, "/v2/deployments/"+first.ID, nil).Want(http.StatusNoContent)
	p.Clock.Advance(5 * time.Second)
	p.Do(http.MethodDelete, path, nil).Want(http.StatusConflict).WantDetail("Listener ID " + l.ID + " is used by deployments: 'worker'. Delete them first.")
	p.Do(http.MethodDelete, "/v2/deployments/"+second.ID, nil).Want(http.StatusNoContent)
	p.Do(http.MethodDelete, path, nil).Want(http.StatusConflict) // The last one still exists.
	p.Clock.Advance(5 * time.Second)
	p.Do(http.MethodDelete, path, nil).Want(http.StatusNoContent)
}

// TestListenerOfAnotherComputeType registers a listener that isn't Kubernetes', which keeps its type in every answer and deploys only
// what has no namespace.
func TestListenerOfAnotherComputeType(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	const register = "/dev/listeners"
	listener := devservertest.Into[api.Listener](p.Do(http.MethodPost, register, object{
		"compute_type": "vm", "compute_id": "rack", "version": "1.2", "compute_config": object{},
	}).Want(http.StatusCreated))
	path := "/v2/listeners/" + listener.ID
	for name, answer := range map[string]api.Listener{
		"registered": listener,
		"read":       devservertest.Get[api.Listener](p, path),
		"listed":     devservertest.Get[api.List[api.Listener]](p, "/v2/listeners").Resources[0],
		"patched":    devservertest.Into[api.Listener](p.Do(http.MethodPatch, path, object{"compute_type": "k8s", "version": "1.2"}).Want(http.StatusOK)),
	} {
		if answer.ComputeType != "vm" || answer.Version == nil || *answer.Version != "1.2" || answer.ComputeConfig.K8sNamespaces != nil {
			t.Errorf("%s = %+v, want compute_type vm, version 1.2 and no namespaces", name, answer)
		}
	}

	const onlyK8s = "'compute_config.k8s_namespaces' applies to compute type 'k8s' only, not to 'vm'."
	p.Do(http.MethodPatch, path, object{"compute_config": object{"k8s_namespaces": []any{"agents"}}}).Want(http.StatusBadRequest).WantDetail(onlyK8s)
	p.Do(http.MethodPost, register, object{"compute_type": "vm", "compute_id": "b", "k8s_namespaces": []any{"agents"}}).
		Want(http.StatusBadRequest).WantDetail(onlyK8s)
	for name, tc := range map[string]struct {
		body object
		want []string
	}{
		"no id":      {object{"compute_type": "vm"}, []string{"compute_id missing"}},
		"empty id":   {object{"compute_id": ""}, []string{"compute_id string_too_short"}},
		"namespaces": {object{"compute_id": "c", "compute_config": object{"k8s_namespaces": []any{""}}}, []string{"compute_config.k8s_namespaces.0 string_pattern_mismatch"}},
	} {
		devservertest.Same(t, name, tc.want, devservertest.Problems(p.Do(http.MethodPost, register, tc.body).Want(422)))
	}

	on := func(config object) object {
		return devservertest.ImageRequest("chat", object{"source_config": devservertest.With(object{"listener_id": listener.ID}, config)})
	}
	p.Do(http.MethodPost, "/v2/deployments", on(object{"listener_config": object{"k8s_namespace": "agents"}})).Want(http.StatusBadRequest).
		WantDetail("Source configuration error: 'source_config.listener_config.k8s_namespace' applies to listeners of compute type 'k8s' " +
			"only, but listener " + listener.ID + " is of compute type 'vm'.")
	p.Create(on(object{}))
}

package controlplane_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func spec(fields object) object { return object{"source_config": object{"resource_spec": fields}} }

func container(fields object) object {
	return devservertest.With(object{"name": "c", "image": "i"}, fields)
}

func sidecar(fields object) object { return spec(object{"sidecars": []any{container(fields)}}) }

// TestCreateRefuses expects status 400 with a text if a rule about several fields or objects is violated.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceB)
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB) // The workspace with a listener and an integration.
	const wrong = "Source configuration error: "
	const at = "'source_config.resource_spec."
	config := func(fields object) object { return object{"source_config": fields} }
	revision := func(fields object) object { return object{"source_revision_config": fields} }
	onListener := func(fields object) object {
		return devservertest.With(config(object{"listener_id": p.Seeded.ListenerID}), config(fields))
	}
	type refusal struct {
		on      *plane
		request object
		want    string
	}
	with := func(field string, value any) object {
		outer, inner, _ := strings.Cut(field, ".")
		return object{outer: object{inner: value}}
	}
	cases := map[string]refusal{
		"unknown repository": {b, b.RepoRequest("d", config(object{"repo_url": "https://git.example.com/example-org/none"})),
			wrong + "'source_config.repo_url' 'https://git.example.com/example-org/none' is not a repository of integration " +
				b.Seeded.IntegrationID + ". GET /v1/integrations/git_host/" + b.Seeded.IntegrationID + "/repos lists them."},
		"full ref of a branch": {b, b.RepoRequest("d", revision(object{"repo_ref": "refs/heads/main"})),
			wrong + "'source_revision_config.repo_ref' 'refs/heads/main' is neither the name of a branch, such as main, nor the full ref of " +
				"a tag, such as refs/tags/v1.2.3."},
		"tag without a name": {b, b.RepoRequest("d", revision(object{"repo_ref": "refs/tags/"})),
			wrong + "'source_revision_config.repo_ref' 'refs/tags/' is neither the name of a branch, such as main, nor the full ref of " +
				"a tag, such as refs/tags/v1.2.3."},
		"URL for a repository": {b, b.RepoRequest("d", config(object{"custom_url": "https://mine.example"})),
			wrong + "'source_config.custom_url' is set by the service for source 'git_host': it can't be 'https://mine.example'."},
		"build on push of a tag": {b, b.RepoRequest("d", config(object{"build_on_push": true}), revision(object{"repo_ref": "refs/tags/v1"})),
			wrong + "'source_config.build_on_push' must be false when 'source_revision_config.repo_ref' is a tag ('refs/tags/v1')."},
		"unknown integration": {b, b.RepoRequest("d", config(object{"integration_id": devservertest.WorkspaceA})),
			wrong + "'source_config.integration_id' " + devservertest.WorkspaceA + " not found. GET /v1/integrations/git_host/install lists the integrations."},
		"integration of another workspace": {p, p.RepoRequest("d"),
			wrong + "'source_config.integration_id' " + p.Seeded.IntegrationID + " not found. GET /v1/integrations/git_host/install lists the integrations."},
		"no listener though there is one": {b, devservertest.ImageRequest("d"),
			wrong + "'source_config.listener_id' is required for workspace with available listener IDs: ['" + p.Seeded.ListenerID + "']"},
		"unknown listener": {b, devservertest.ImageRequest("d", config(object{"listener_id": devservertest.WorkspaceA})),
			wrong + "'source_config.listener_id' " + devservertest.WorkspaceA + " not found. GET /v2/listeners lists the listeners."},
		"listener of another workspace": {p, devservertest.ImageRequest("d", onListener(object{})),
			wrong + "'source_config.listener_id' " + p.Seeded.ListenerID + " not found. GET /v2/listeners lists the listeners."},
		"namespace without a listener": {p, devservertest.ImageRequest("d", config(object{"listener_config": object{"k8s_namespace": "agents"}})),
			wrong + "'source_config.listener_config.k8s_namespace' needs 'source_config.listener_id' with a listener of compute type 'k8s'."},
		"no namespace": {b, devservertest.ImageRequest("d", onListener(object{})),
			wrong + "'source_config.listener_config.k8s_namespace' is required for listener " + p.Seeded.ListenerID + ": use one of ['agents', 'agents-staging']."},
		"foreign namespace": {b, devservertest.ImageRequest("d", onListener(object{"listener_config": object{"k8s_namespace": "default"}})),
			wrong + "'source_config.listener_config.k8s_namespace' 'default' is not a namespace of listener " + p.Seeded.ListenerID + ": use one of ['agents', 'agents-staging']."},

		"secrets twice": {p, devservertest.ImageRequest("d", object{"secrets": []any{object{"name": "A", "value": "1"}, object{"name": "A", "value": "1"}}}),
			"'secrets' has the name 'A' more than once."},
		"queue against a default": {p, devservertest.ImageRequest("d", spec(object{"max_scale": 2, "queue_min_scale": 3})),
			at + "queue_min_scale' (3) is greater than " + at + "queue_max_scale' (2)."},
		"default against queue": {
			p,
			devservertest.ImageRequest("d", spec(object{"cpu": 4, "queue_cpu_limit": 2})),
			at + "queue_cpu' (4) is greater than " + at + "queue_cpu_limit' (2).",
		},
		"volumes twice": {p, devservertest.ImageRequest("d", spec(object{"volumes": []any{object{"name": "v"}, object{"name": "v"}}})),
			at + "volumes' has the name 'v' more than once."},
		"mount without volume": {p, devservertest.ImageRequest("d", spec(object{"volumes": []any{object{"name": "v"}},
			"volume_mounts": []any{object{"name": "v", "mountPath": "/v"}, object{"name": "w", "mountPath": "/w"}}})),
			at + "volume_mounts[1].name' is 'w', which is not the name of a volume of the spec: ['v']."},
		"mount of an init container": {p, devservertest.ImageRequest("d", spec(object{
			"init_containers": []any{container(object{"volumeMounts": []any{object{"name": "w", "mountPath": "/w"}}})}})),
			at + "init_containers[0].volumeMounts[0].name' is 'w', which is not the name of a volume of the spec: []."},
		"mount of a sidecar": {p, devservertest.ImageRequest("d", spec(object{
			"sidecars": []any{container(nil), container(object{"volumeMounts": []any{object{"name": "w", "mountPath": "/w"}}})}})),
			at + "sidecars[1].volumeMounts[0].name' is 'w', which is not the name of a volume of the spec: []."},
		"env twice": {p, devservertest.ImageRequest("d", spec(object{
			"sidecars": []any{container(object{"env": []any{object{"name": "A"}, object{"name": "A"}}})}})),
			at + "sidecars[0].env' has the name 'A' more than once."},
		"env value and valueFrom": {p, devservertest.ImageRequest("d", spec(object{
			"init_containers": []any{container(object{"env": []any{object{"name": "A", "value": "1", "valueFrom": object{"x": 1}}}})}})),
			at + "init_containers[0].env[0]' ('A') has both value and valueFrom: use only one."},
	}
	for lower, tc := range map[string]struct {
		upper        string
		value, bound any
	}{
		"min_scale": {"max_scale", 3, 2}, "cpu": {"cpu_limit", 3, 2}, "memory_mb": {"memory_limit_mb", 1025, 1024}, "db_cpu": {"db_cpu_limit", 0.5, 0.25},
	} {
		want := fmt.Sprintf("%s%s' (%v) is greater than %[1]s%[4]s' (%[5]v).", at, lower, tc.value, tc.upper, tc.bound)
		cases[lower] = refusal{p, devservertest.ImageRequest("d", spec(object{lower: tc.value, tc.upper: tc.bound})), want}
	}
	for field, value := range map[string]any{
		"source_config.integration_id": devservertest.WorkspaceA, "source_config.repo_url": "https://git.example/a", "source_config.deployment_type": "prod",
		"source_config.install_command": "npm ci", "source_config.build_command": "make", "source_config.build_on_push": false,
		"source_revision_config.repo_ref": "main", "source_revision_config.graph_config_path": "g",
	} {
		want := wrong + "'" + field + "' applies to source 'git_host' only, not to 'external_container'."
		cases[field+" for an image"] = refusal{p, devservertest.ImageRequest("d", with(field, value)), want}
	}
	for field, value := range map[string]any{
		"source_config.resource_spec": object{}, "source_config.listener_id": p.Seeded.ListenerID, "source_config.listener_config": object{},
		"source_revision_config.image_uri": "agent:1",
	} {
		want := wrong + "'" + field + "' applies to source 'external_container' only, not to 'git_host'."
		cases[field+" for a repository"] = refusal{b, b.RepoRequest("d", with(field, value)), want}
	}
	for _, field := range []string{
		"source_config.integration_id", "source_config.repo_url", "source_revision_config.repo_ref", "source_revision_config.graph_config_path",
	} {
		cases["no "+field] = refusal{b, b.RepoRequest("d", with(field, nil)), wrong + "'" + field + "' is required for source 'git_host'."}
	}
	const image = "source_revision_config.image_uri"
	cases["no image"] = refusal{p, devservertest.ImageRequest("d", with(image, nil)), wrong + "'" + image + "' is required for source 'external_container'."}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := *tc.on
			on.T = t
			on.Do(http.MethodPost, "/v2/deployments", tc.request).Want(http.StatusBadRequest).WantDetail(tc.want)
			if left := devservertest.Get[api.List[api.Deployment]](&on, "/v2/deployments").Resources; len(left) > 0 {
				t.Errorf("a refused request left %v", left)
			}
		})
	}
}

// TestCreateRefusesForms expects status 422 with the locations of all malformed fields at once.
func TestCreateRefusesForms(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	const inSpec = "source_config.resource_spec."
	for name, tc := range map[string]struct {
		request object
		want    []string
	}{
		"name with an underscore": {devservertest.ImageRequest("my_agent"), []string{"name string_pattern_mismatch"}},
		"name with a digit first": {devservertest.ImageRequest("1agent"), []string{"name string_pattern_mismatch"}},
		"name with a dash first":  {devservertest.ImageRequest("-agent"), []string{"name string_pattern_mismatch"}},
		"no name":                 {devservertest.ImageRequest(""), []string{"name string_pattern_mismatch"}},
		"two lines":               {devservertest.ImageRequest("a\n"), []string{"name string_pattern_mismatch"}},
		"secret names": {devservertest.ImageRequest("d", object{"secrets": []any{object{"name": "", "value": "1"}, object{"name": "ok.name", "value": "1"}, object{"name": "A=B", "value": "1"}}}),
			[]string{"secrets.0.name string_pattern_mismatch", "secrets.2.name string_pattern_mismatch"}},
		"namespace": {devservertest.ImageRequest("d", object{"source_config": object{"listener_config": object{"k8s_namespace": "My Space"}}}),
			[]string{"source_config.listener_config.k8s_namespace string_pattern_mismatch"}},
		"volume names": {devservertest.ImageRequest("d", spec(object{"volumes": []any{object{"name": "ok"}, object{"name": "Not"}, object{"name": "not-"}, object{"name": strings.Repeat("x", 64)}}})),
			[]string{inSpec + "volumes.1.name string_pattern_mismatch", inSpec + "volumes.2.name string_pattern_mismatch", inSpec + "volumes.3.name string_pattern_mismatch"}},
		"containers": {devservertest.ImageRequest("d", spec(object{
			"init_containers": []any{container(object{"name": "a.b", "imagePullPolicy": "Sometimes"})},
			"sidecars":        []any{container(object{"restartPolicy": "Never", "env": []any{object{"name": "1A"}, object{"name": "A-B"}}})},
		})), []string{
			inSpec + "init_containers.0.name string_pattern_mismatch", inSpec + "init_containers.0.imagePullPolicy literal_error",
			inSpec + "sidecars.0.restartPolicy literal_error", inSpec + "sidecars.0.env.0.name string_pattern_mismatch",
			inSpec + "sidecars.0.env.1.name string_pattern_mismatch",
		}},
		"negative numbers": {devservertest.ImageRequest("d", spec(object{"min_scale": -1, "cpu": -2, "db_cpu": -0.5, "db_storage_gi": 0})),
			[]string{inSpec + "min_scale greater_than_equal", inSpec + "cpu greater_than_equal", inSpec + "db_cpu greater_than_equal"}},
		"whole cores": {devservertest.ImageRequest("d", spec(object{"cpu": 1.5, "db_cpu": 0.5})), []string{inSpec + "cpu int_from_float"}},
		"32 bits": {devservertest.ImageRequest("d", spec(object{"memory_mb": 2147483648, "cpu_limit": 2147483648, "db_max_connections": 2147483648, "max_scale": 2147483647})),
			[]string{inSpec + "cpu_limit less_than_equal", inSpec + "memory_mb less_than_equal", inSpec + "db_max_connections less_than_equal"}},
		"the types come first": {devservertest.ImageRequest("my_agent", object{"secrets": "none"}), []string{"secrets list_type"}},
	} {
		devservertest.Same(t, name, tc.want, devservertest.Problems(p.Do(http.MethodPost, "/v2/deployments", tc.request).Want(422)))
	}
}

// TestCreateTakes creates deployments that are similar to refused ones, but valid.
func TestCreateTakes(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceB)
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	bare := devservertest.Into[api.Listener](p.As("X-Tenant-Id", "cccccccc-0000-4000-8000-000000000000").
		Do(http.MethodPost, "/dev/listeners", object{"compute_id": "bare"}).Want(http.StatusCreated))
	for name, tc := range map[string]struct {
		on      *plane
		request object
	}{
		"dashes, digits and capitals": {p, devservertest.ImageRequest("My-Agent-2")},
		"nulls of the other source": {
			p,
			devservertest.ImageRequest("nulls", object{"source_config": object{"integration_id": (*string)(nil), "build_on_push": (*bool)(nil)}}),
		},
		"branch that builds on push": {b, b.RepoRequest("branch", object{"source_config": object{"build_on_push": true}})},
		"tag that does not": {
			b,
			b.RepoRequest("tag", object{"source_config": object{"build_on_push": false}, "source_revision_config": object{"repo_ref": "refs/tags/v1"}}),
		},
		"unknown fields": {
			p,
			devservertest.ImageRequest("unknown", object{"color": "red", "source_config": object{"shape": 1}}),
		},
		"empty value and valueFrom": {
			p,
			devservertest.ImageRequest("env", spec(object{"sidecars": []any{container(object{"env": []any{object{"name": "A", "value": "", "valueFrom": object{}}}})}})),
		},
		"one env name in two containers": {p, devservertest.ImageRequest("envs", spec(object{"sidecars": []any{
			container(object{"env": []any{object{"name": "A"}}}), container(object{"name": "d", "env": []any{object{"name": "A"}}})}}))},
		"equal bounds": {
			p,
			devservertest.ImageRequest("bounds", spec(object{"min_scale": 2, "max_scale": 2, "cpu": 1, "cpu_limit": 1})),
		},
		"whole number as float": {p, devservertest.ImageRequest("float", spec(object{"cpu": json.Number("2.0")}))},
		"mounts": {p, devservertest.ImageRequest("mounts", spec(object{"volumes": []any{object{"name": "v", "emptyDir": object{}}},
			"volume_mounts":   []any{object{"name": "v", "mountPath": "/a"}, object{"name": "v", "mountPath": "/b"}},
			"init_containers": []any{container(object{"volumeMounts": []any{object{"name": "v", "mountPath": "/a"}}})}}))},
		"pulled always":      {p, devservertest.ImageRequest("pulled-1", sidecar(object{"imagePullPolicy": "Always"}))},
		"pulled never":       {p, devservertest.ImageRequest("pulled-2", sidecar(object{"imagePullPolicy": "Never"}))},
		"pulled if absent":   {p, devservertest.ImageRequest("pulled-3", sidecar(object{"imagePullPolicy": "IfNotPresent"}))},
		"restarted always":   {p, devservertest.ImageRequest("restarted-1", sidecar(object{"restartPolicy": "Always"}))},
		"restarted if fails": {p, devservertest.ImageRequest("restarted-2", sidecar(object{"restartPolicy": "OnFailure"}))},
		"env of a field": {
			p, devservertest.ImageRequest("field", sidecar(object{"env": []any{object{"name": "_b2", "valueFrom": object{"fieldRef": object{"fieldPath": "x"}}}}})),
		},
		"volumes without a source": {
			p, devservertest.ImageRequest("volumes", spec(object{"volumes": []any{object{"name": "bare"}, object{"name": "null", "secret": nil}}})),
		},
		"listener that reports no namespaces": {p.As("X-Tenant-Id", "cccccccc-0000-4000-8000-000000000000"),
			devservertest.ImageRequest("bare", object{"source_config": object{"listener_id": strings.ToUpper(bare.ID), "listener_config": object{"k8s_namespace": "any"}}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := *tc.on
			on.T = t
			on.Create(tc.request)
		})
	}
}

package deployment_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// digest is the digest of an image with a number of digits.
func digest(digits int) string {
	return "registry.example.com/agents/chat@sha256:" + strings.Repeat("0123456789abcdef", 4)[:digits]
}

// refusedValues are values that the service and the plan both refuse, by their place: in source_config, source_revision_config or
// resource_spec, in the words of the configuration.
var refusedValues = []struct {
	at       string // Of the problem.
	settings map[string]any
}{
	{"source_revision_config.image_uri", map[string]any{"image_uri": ""}},
	{"source_revision_config.image_uri", map[string]any{"image_uri": digest(32)}},
	{"source_revision_config.image_uri", map[string]any{"image_uri": digest(63)}},
	{"source_config.custom_url", map[string]any{"custom_url": ""}},
	{"source_config.custom_url", map[string]any{"custom_url": "chat.example.com"}},
	{"source_config.custom_url", map[string]any{"custom_url": "ftp://chat.example.com"}},
	{"source_config.custom_url", map[string]any{"custom_url": "https://"}},
	{"source_config.resource_spec.service_account_name", map[string]any{"service_account_name": ""}},
	{"source_config.resource_spec.image_pull_secrets[0].name", map[string]any{"image_pull_secrets": []any{map[string]any{"name": ""}}}},
	{"source_config.resource_spec.volumes[0].name", map[string]any{"volumes": []any{map[string]any{"name": "", "empty_dir_json": "{}"}}}},
	{"source_config.resource_spec.volume_mounts[0].name", mounting("volume_mounts", "", "/data")},
	{"source_config.resource_spec.volume_mounts[0].mount_path", mounting("volume_mounts", "data", "")},
	{"source_config.resource_spec.volume_mounts[0].mount_path", mounting("volume_mounts", "data", "data")},
	{"source_config.resource_spec.sidecars[0].volume_mounts[0].mount_path", mounting("sidecars", "data", "")},
	{"source_config.resource_spec.init_containers[0].volume_mounts[0].mount_path", mounting("init_containers", "data", "")},
	{"source_config.resource_spec.init_containers[0].name", containing("init_containers", map[string]any{"name": ""})},
	{"source_config.resource_spec.sidecars[0].name", containing("sidecars", map[string]any{"name": ""})},
	{"source_config.resource_spec.init_containers[0].image", containing("init_containers", map[string]any{"image": ""})},
	{"source_config.resource_spec.sidecars[0].image", containing("sidecars", map[string]any{"image": ""})},
	{"source_config.resource_spec.init_containers[0].image", containing("init_containers", map[string]any{"image": digest(32)})},
	{"source_config.resource_spec.sidecars[0].image", containing("sidecars", map[string]any{"image": digest(32)})},
	{"source_config.resource_spec.sidecars[0].env[0].name", containing("sidecars", map[string]any{"env": []any{map[string]any{"name": "", "value": "a"}}})},
	{"source_config.resource_spec.init_containers[0].restart_policy", containing("init_containers", map[string]any{"restart_policy": "Always"})},
	{"source_config.resource_spec.sidecars[0].restart_policy", containing("sidecars", map[string]any{"restart_policy": "Never"})},
}

// acceptedValues are similar values that both accept.
var acceptedValues = []map[string]any{
	{"image_uri": digest(64)}, {"custom_url": "http://chat.example.com/a"}, mounting("volume_mounts", "data", "/data"),
	containing("sidecars", map[string]any{"restart_policy": "Always", "image": digest(64)}), containing("init_containers", nil),
}

func containing(list string, settings map[string]any) map[string]any {
	container := map[string]any{"name": "c", "image": "registry.example.com/agents/helper:1"}
	maps.Copy(container, settings)
	return map[string]any{list: []any{container}}
}

// mounting mounts a volume into the main container, or into one of a list.
func mounting(list, volume, at string) map[string]any {
	mounts := []any{map[string]any{"name": volume, "mount_path": at}}
	spec := map[string]any{"volume_mounts": mounts}
	if list != "volume_mounts" {
		spec = containing(list, map[string]any{"volume_mounts": mounts})
	}
	spec["volumes"] = []any{map[string]any{"name": "data", "empty_dir_json": "{}"}}
	return spec
}

// placed returns a configuration with settings in their places.
func placed(plane *providertest.Plane, settings map[string]any) map[string]any {
	spec, revision := map[string]any{}, image("1.0.0")
	source := map[string]any{
		"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace}, "resource_spec": spec,
	}
	for name, value := range settings {
		switch name {
		case "image_uri":
			revision[name] = value
		case "custom_url":
			source[name] = value
		default:
			spec[name] = value
		}
	}
	return imageConfig(plane, map[string]any{"source_config": source, "source_revision_config": revision, "environment": nil})
}

// onTheWire writes the words of a configuration as the service does, in JSON or in the location of a problem.
var onTheWire = strings.NewReplacer("mount_path", "mountPath", "restart_policy", "restartPolicy", `"empty_dir_json":"{}"`, `"emptyDir":{}`)

// said returns the problems that validation and plan find, by attribute.
func (d *driver) said(prior kept, config map[string]any) []string {
	d.t.Helper()
	checked, err := d.server.ValidateResourceConfig(d.t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: driven, Config: d.document(config)})
	if err != nil {
		d.t.Fatal(err)
	}
	_, diags := d.plan(prior, config)
	var at []string
	for _, problem := range append(checked.Diagnostics, diags...) {
		if problem.Severity == tfprotov6.DiagnosticSeverityError {
			at = append(at, strings.NewReplacer(`AttributeName("`, "", `")`, "", ".ElementKeyInt(", "[", ")", "]").Replace(problem.Attribute.String()))
		}
	}
	return at
}

// TestAccRefusedValues plans values that the service refuses, and sends them: both name the same attribute.
func TestAccRefusedValues(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		for _, settings := range acceptedValues {
			if at := drive(t, plane).said(kept{}, placed(plane, settings)); len(at) > 0 {
				t.Errorf("%v is refused at %v", settings, at)
			}
			if status, problems := posted(t, plane, placed(plane, settings)); status != http.StatusCreated {
				t.Errorf("%v: status %d, want 201: %s", settings, status, problems)
			}
		}
		for _, test := range refusedValues {
			config := placed(plane, test.settings)
			if at := drive(t, plane).said(kept{}, config); !slices.Contains(at, test.at) {
				t.Errorf("%v: the plan finds problems at %v, want %s", test.settings, at, test.at)
			}
			loc := strings.NewReplacer("[", ".", "]", "", "sidecars[0].volume_mounts", "sidecars.0.volumeMounts",
				"init_containers[0].volume_mounts", "init_containers.0.volumeMounts").Replace(test.at)
			if status, problems := posted(t, plane, config); status != http.StatusUnprocessableEntity || !slices.Contains(problems, onTheWire.Replace(loc)) {
				t.Errorf("%v: status %d with problems at %v, want 422 at %s", test.settings, status, problems, loc)
			}
		}
	})
}

// posted creates a deployment with a configuration, and returns the locations of what is refused.
func posted(t *testing.T, plane *providertest.Plane, config map[string]any) (status int, problems []string) {
	t.Helper()
	config["secrets"], config["name"] = []any{}, fmt.Sprintf("tf-acc-%d", len(plane.Requests(http.MethodPost, "/v2/deployments")))
	delete(config, "environment")
	delete(config, "delete_tracing_project")
	body, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	text := onTheWire.Replace(string(body))
	for _, list := range []string{"init_containers", "sidecars"} { // Only in them, the field is not in snake case.
		before, after, found := strings.Cut(text, `"`+list+`":[`)
		if found {
			text = before + `"` + list + `":[` + strings.Replace(after, `"volume_mounts"`, `"volumeMounts"`, 1)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, plane.URL+"/v2/deployments", bytes.NewReader(plane.Dialect().Body([]byte(text))))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", providertest.APIKey)
	request.Header.Set("X-Tenant-Id", providertest.WorkspaceID)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Detail []struct {
			Loc []any `json:"loc"`
		} `json:"detail"`
	}
	if response.StatusCode == http.StatusUnprocessableEntity {
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range answer.Detail {
		at := make([]string, len(problem.Loc)-1)
		for i, step := range problem.Loc[1:] {
			at[i] = fmt.Sprint(step)
		}
		problems = append(problems, strings.Join(at, "."))
	}
	return response.StatusCode, problems
}

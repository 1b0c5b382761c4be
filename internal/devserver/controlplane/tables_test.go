package controlplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// TestTablesNameRealFields checks the tables' field names: a misspelt one would panic during a request.
func TestTablesNameRealFields(t *testing.T) {
	t.Parallel()
	namespace := "agents"
	full := api.Deployment{SourceConfig: api.SourceConfig{
		ResourceSpec:   &api.ResourceSpec{},
		ListenerConfig: &api.ListenerConfig{K8sNamespace: &namespace},
	}}
	names := slices.Clone(immutableFields)
	for _, source := range slices.Concat(api.Sources, api.ExtendedSources) {
		var applying []string
		for _, rule := range fieldConstraints {
			if slices.Contains(rule.sources, source) {
				applying = append(applying, rule.field)
			}
		}
		names = append(append(names, applying...), requiredFields[source]...)
		for _, required := range requiredFields[source] {
			if !slices.Contains(applying, required) {
				t.Errorf("%s is required for %s, but doesn't apply to it", required, source)
			}
		}
		if len(steps[source]) == 0 {
			t.Errorf("source %s has no rollout steps", source)
		}
	}
	for _, name := range names {
		func() {
			defer func() {
				if bad := recover(); bad != nil {
					t.Errorf("the table's field %s panics: %v", name, bad)
				}
			}()
			fieldOf(full, name)
		}()
	}
}

// TestUpperBounds checks which fields of a resource spec have an upper bound in another one.
func TestUpperBounds(t *testing.T) {
	t.Parallel()
	names, bounds := map[string]bool{}, map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[api.ResourceSpec]()) {
		name := form.WireField(field).Name
		names[name], bounds[upperBound.Replace(name)] = true, true
	}
	for name := range names {
		if limits := strings.Contains(name, "max_scale") || strings.Contains(name, "limit"); limits && !bounds[name] {
			t.Errorf("%s is the upper bound of no field", name)
		}
	}
	for _, name := range []string{"max_scale", "cpu_limit", "queue_memory_limit_mb", "executor_cpu_limit", "orchestrator_max_scale", "db_memory_limit_mb"} {
		if !names[name] {
			t.Errorf("%s isn't a field", name)
		}
	}
}

func TestImageVersion(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"agent":                               "",
		"agent:1.0":                           "1.0",
		"registry.example/team/agent:1.0":     "1.0",
		"registry.example:5000/agent":         "",
		"registry.example:5000/agent:1.0":     "1.0",
		"agent@sha256:0123":                   "",
		"agent:1.0@sha256:0123":               "1.0",
		"registry.example:5000/a@sha256:0123": "",
	} {
		got := imageVersion(&uri)
		switch {
		case want == "" && got != nil:
			t.Errorf("imageVersion(%s) = %s, want none", uri, *got)
		case want != "" && (got == nil || *got != want):
			t.Errorf("imageVersion(%s) = %v, want %s", uri, got, want)
		}
	}
	if got := imageVersion(nil); got != nil {
		t.Errorf("imageVersion(nil) = %s, want none", *got)
	}
}

func TestSameRepo(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://git.example/acme/agent",
		"https://git.example/acme/agent/",
		"https://git.example/acme/agent.git",
		"https://git.example/acme/agent.git/",
	} {
		assert.Same(t, fmt.Sprintf("sameRepo(%s)", url), "https://git.example/acme/agent", sameRepo(url))
	}
	if got := sameRepo("https://git.example/acme/agent.github"); got != "https://git.example/acme/agent.github" {
		t.Errorf("sameRepo of a name with the suffix .github = %s, want it unchanged", got)
	}
}

// TestWithDefaults checks that defaults depend only on the request, and that filling them in twice changes nothing.
func TestWithDefaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ sent, want string }{
		"nothing": {`{}`, `{}`},
		"all": {
			`{"min_scale":1,"max_scale":2,"cpu":1,"memory_mb":10,"db_cpu":0.25,"db_memory_mb":5}`,
			`{"min_scale":1,"max_scale":2,"cpu":1,"cpu_limit":2,"memory_mb":10,"memory_limit_mb":20,
			  "queue_min_scale":1,"queue_max_scale":2,"queue_cpu":1,"queue_cpu_limit":2,"queue_memory_mb":10,
			  "queue_memory_limit_mb":20,"db_cpu":0.25,"db_cpu_limit":0.5,"db_memory_mb":5,"db_memory_limit_mb":10}`,
		},
		"the queue's own": {
			`{"cpu":1,"queue_cpu":3,"queue_memory_mb":7}`,
			`{"cpu":1,"cpu_limit":2,"queue_cpu":3,"queue_cpu_limit":6,"queue_memory_mb":7,"queue_memory_limit_mb":14}`,
		},
		"zero is a value":         {`{"min_scale":0,"cpu_limit":0}`, `{"min_scale":0,"cpu_limit":0,"queue_min_scale":0}`},
		"others have no defaults": {`{"cache_memory_mb":1,"executor_cpu":1}`, `{"cache_memory_mb":1,"executor_cpu":1}`},
	} {
		sent, want := specOf(t, tc.sent), specOf(t, tc.want)
		got := withDefaults(sent, api.DerivedFields)
		assert.Same(t, name, want, got)
		assert.Same(t, name+", filled in twice", got, withDefaults(got, api.DerivedFields))
	}
}

func specOf(t *testing.T, text string) api.ResourceSpec {
	t.Helper()
	var spec api.ResourceSpec
	assert.Must(t, json.Unmarshal([]byte(text), &spec))
	return spec
}

// TestRolloutsNeverGoBack checks for all sources, faults and times of a successor that states follow each other in order, begin
// at their reported time, and that a final state stays.
func TestRolloutsNeverGoBack(t *testing.T) {
	t.Parallel()
	const length = 20 * time.Second
	for _, source := range api.Sources {
		course := stepsOf(source, api.LangSmith)
		for _, state := range append(slices.Collect(maps.Keys(failures)), "") {
			for _, stall := range []bool{false, true} {
				for successor := range 25 {
					r := rollout{steps: course, createdAt: birth, length: length}
					if state != "" {
						r.fault = &rest.RolloutFault{State: state, Stall: stall}
					}
					if successor > 0 {
						at := after(time.Duration(successor) * time.Second)
						r.supersededAt = &at
					}
					neverGoesBack(t, r, length+10*time.Second)
				}
			}
		}
	}
}

func neverGoesBack(t *testing.T, r rollout, until time.Duration) {
	t.Helper()
	last := r.at(birth)
	for now := time.Duration(0); now <= until; now += time.Second / 2 {
		is := r.at(after(now))
		reached := r.history(after(now))
		ordered := slices.IsSortedFunc(reached, func(a, b Stage) int { return a.Since.Compare(b.Since) })
		if !ordered || reached[len(reached)-1] != is {
			t.Errorf("%+v: at %s, the state is %+v after %+v", r, now, is, reached)
		}
		switch {
		case is.Since.After(after(now)):
			t.Errorf("%+v: at %s, the state is %s since %s, want a time in the past", r, now, is.Status, is.Since)
		case is.Since.Before(last.Since):
			t.Errorf("%+v: at %s, the state is %s since %s, before %s began", r, now, is.Status, is.Since, last.Status)
		case last.Finished && is != last:
			t.Errorf("%+v: at %s the final %s becomes %s", r, now, last.Status, is.Status)
		case is.Status != last.Status && is.Since.Equal(last.Since) && now > 0:
			t.Errorf("%+v: at %s, the state is %s since the same time as %s", r, now, is.Status, last.Status)
		}
		last = is
	}
}

// TestPatchRefusesTexts checks that a patch may not send what a creation may not send, either.
func TestPatchRefusesTexts(t *testing.T) {
	t.Parallel()
	const image = "agent@sha256:0123456789abcdef0123456789abcdef"
	spec := api.ResourceSpec{
		ServiceAccountName: new("Not a name"),
		ImagePullSecrets:   []api.LocalObjectReference{{Name: "Not a name"}},
		VolumeMounts:       []api.VolumeMount{{Name: "v", MountPath: "no path"}},
		InitContainers:     []api.Container{{Name: "c", Image: image, RestartPolicy: new("Always")}},
	}
	err := validatePatch(api.Neutral, api.DeploymentPatchRequest{
		SourceConfig:         api.Some(api.SourceConfigRequest{CustomURL: api.Some("no URL"), ResourceSpec: api.Some(spec)}),
		SourceRevisionConfig: api.Some(api.SourceRevisionConfigRequest{ImageURI: api.Some(image)}),
	})
	refused, _ := errors.AsType[*form.Error](err)
	got := form.Collect(refused.Fields, func(problem api.ValidationError) string {
		return problem.Loc[len(problem.Loc)-1].Key + " " + problem.Type
	})
	assert.Same(t, "problems", []string{
		"custom_url url_parsing", "service_account_name string_pattern_mismatch", "name string_pattern_mismatch",
		"mountPath string_pattern_mismatch", "image value_error", "restartPolicy value_error", "image_uri value_error",
	}, got)
}

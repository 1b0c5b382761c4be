package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// wanted is a deployment as it is configured.
type wanted struct {
	resource, name string
	source         api.Source
	// text are attributes at the top, in source_config and in source_revision_config, by their paths.
	text map[string]string
	// numbers are those of resource_spec.
	numbers map[string]int
	// variables are those of environment, secrets and secrets_wo.
	variables map[string]map[string]string
	ownership string
	triggers  int
	keep      bool
	onPush    bool
	extended  bool
	renamed   int
}

var variableMaps = []string{"environment", "secrets", "secrets_wo"}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func chance(random *rand.Rand, of float64) bool { return random.Float64() < of }

func value(random *rand.Rand) string { return fmt.Sprintf("value-%06d", random.IntN(1_000_000)) }

// newWanted is a random configuration. Names of deployments are short, because autoscalers take no long ones.
func newWanted(random *rand.Rand, resource string, dialect *api.Dialect, hides hiding) *wanted {
	w := &wanted{
		resource: resource, name: "chaos-" + resource, source: pick(random, api.SourceExternalContainer, api.SourceGitHost),
		text: map[string]string{}, numbers: map[string]int{}, variables: map[string]map[string]string{}, ownership: "all",
		keep: chance(random, 0.2), extended: dialect.Extended,
	}
	if hides == tells && chance(random, 0.3) {
		w.ownership = "declared"
	}
	for _, in := range variableMaps {
		if chance(random, 0.5) {
			w.variables[in] = map[string]string{strings.ToUpper(in) + "_0": value(random)}
		}
	}
	if w.source == api.SourceGitHost {
		w.text["repo_ref"], w.text["graph_config_path"] = "main", "graph.json"
		return w
	}
	w.text["image_uri"] = "registry.example.com/agents/chat:1"
	if chance(random, 0.5) {
		w.numbers["cpu"] = 1
	}
	return w
}

// change changes some of it. A map of variables that there is stays, and never gets empty: what a configuration doesn't
// manage is left alone, and some services can't remove the last variable.
func (w *wanted) change(random *rand.Rand) {
	for range 1 + random.IntN(3) {
		w.changeOne(random)
	}
}

func (w *wanted) changeOne(random *rand.Rand) {
	switch random.IntN(10) {
	case 0, 1:
		if w.source == api.SourceGitHost {
			w.text["repo_ref"] = pick(random, "main", "release", "hotfix")
		} else {
			w.text["image_uri"] = fmt.Sprintf("registry.example.com/agents/chat:%d", random.IntN(1000))
		}
	case 2, 3, 4:
		w.changeVariables(random)
	case 5:
		if w.source == api.SourceGitHost {
			w.onPush = !w.onPush
		} else {
			name := pick(random, "cpu", "memory_mb", "max_scale")
			w.numbers[name] = map[string]int{"cpu": 1, "memory_mb": 1024, "max_scale": 5}[name] * (1 + random.IntN(2))
		}
	case 6:
		w.triggers++
	case 7:
		w.keep = !w.keep
	case 8:
		switch {
		case w.extended:
			w.text["display_name"] = "Chat " + value(random)
		case w.source == api.SourceGitHost:
			w.text["install_command"] = "make " + value(random)
		default:
			w.text["custom_url"] = "https://" + value(random) + ".example.com"
		}
	case 9:
		if chance(random, 0.5) {
			w.renamed++
			w.name = fmt.Sprintf("chaos-%s-%d", w.resource, w.renamed)
		}
	}
}

func (w *wanted) changeVariables(random *rand.Rand) {
	in := "environment"
	if len(w.variables) > 0 {
		in = pick(random, slices.Sorted(maps.Keys(w.variables))...)
	}
	if w.variables[in] == nil {
		w.variables[in] = map[string]string{}
	}
	w.variables[in][fmt.Sprintf("%s_%d", strings.ToUpper(in), random.IntN(3))] = value(random)
	if remove := fmt.Sprintf("%s_%d", strings.ToUpper(in), random.IntN(3)); len(w.variables[in]) > 1 && chance(random, 0.4) {
		delete(w.variables[in], remove)
	}
}

// owns says whether that is or was a name of it.
func (w *wanted) owns(name string) bool {
	return name == "chaos-"+w.resource || strings.HasPrefix(name, "chaos-"+w.resource+"-")
}

// merged are all variables.
func (w *wanted) merged() map[string]string {
	all := map[string]string{}
	for _, variables := range w.variables {
		maps.Copy(all, variables)
	}
	return all
}

// place is where a world's deployments go.
type place struct{ listenerID, namespace, integrationID string }

// hcl is the block of the resource.
func (w *wanted) hcl(at place) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	text := func(names ...string) {
		for _, name := range names {
			if v, ok := w.text[name]; ok {
				line("%s = %q", name, v)
			}
		}
	}
	line("resource \"agentplane_deployment\" %q {", w.resource)
	line("name = %q\nsource = %q\nenvironment_ownership = %q", w.name, w.source, w.ownership)
	text("display_name")
	if w.keep {
		line("on_failed_create = \"keep\"")
	}
	if w.extended {
		line("delete_tracing_project = true")
	}
	if w.triggers > 0 {
		line("triggers = { n = \"%d\" }", w.triggers)
	}
	for _, in := range variableMaps {
		if variables, ok := w.variables[in]; ok {
			line("%s = {", in)
			for _, name := range slices.Sorted(maps.Keys(variables)) {
				line("%s = %q", name, variables[name])
			}
			line("}")
		}
	}
	line("source_config = {")
	text("custom_url", "install_command")
	if w.source == api.SourceGitHost {
		line("integration_id = %q\nrepo_url = \"https://git.example.com/acme/agent\"\nbuild_on_push = %t", at.integrationID, w.onPush)
	} else {
		line("listener_id = %q\nlistener_config = { k8s_namespace = %q }", at.listenerID, at.namespace)
		if len(w.numbers) > 0 {
			line("resource_spec = {")
			for _, name := range slices.Sorted(maps.Keys(w.numbers)) {
				line("%s = %d", name, w.numbers[name])
			}
			line("}")
		}
	}
	line("}\nsource_revision_config = {")
	text("repo_ref", "graph_config_path", "image_uri")
	line("}\n}")
	return b.String()
}

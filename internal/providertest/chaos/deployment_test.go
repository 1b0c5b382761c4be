package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

var deployments = &kind{"agentplane_deployment", func(s *service) []found {
	var list api.List[api.Deployment]
	s.call(http.MethodGet, "/v2/deployments?limit=100", nil, &list)
	var all []found
	for _, each := range list.Resources {
		if !each.Status.BeingDeleted() {
			all = append(all, found{each.ID, each.Name, each.ID, each})
		}
	}
	return all
}}

// deployment is a deployment as it is configured.
type deployment struct {
	label, name string
	// listener is the one that the configuration has for it; nil leads to the one that every service has.
	listener *plain
	source   api.Source
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
	hides     hiding
}

var variableMaps = []string{"environment", "secrets", "secrets_wo"}

// newDeployment is a random configuration. Names of deployments are short, because autoscalers reject long ones.
func newDeployment(random *rand.Rand, label string, dialect *api.Dialect, hides hiding) *deployment {
	d := &deployment{
		label: label, hides: hides, name: "chaos-" + label, source: pick(random, api.SourceExternalContainer, api.SourceGitHost),
		text: map[string]string{}, numbers: map[string]int{}, variables: map[string]map[string]string{}, ownership: "all",
		keep: chance(random, 0.2), extended: dialect.LangSmithAPI,
	}
	if hides == tells && chance(random, 0.3) {
		d.ownership = "declared"
	}
	for _, in := range variableMaps {
		if chance(random, 0.5) {
			d.variables[in] = map[string]string{strings.ToUpper(in) + "_0": value(random)}
		}
	}
	if d.source == api.SourceGitHost {
		d.text["repo_ref"], d.text["graph_config_path"] = "main", "graph.json"
		return d
	}
	d.text["image_uri"] = "registry.example.com/agents/chat:1"
	if chance(random, 0.5) {
		d.numbers["cpu"] = 1
	}
	return d
}

// change implements object. A map of variables that there is stays, and never gets empty: what a configuration doesn't
// manage is left alone, and some services can't remove the last variable.
func (d *deployment) change(random *rand.Rand) {
	for range 1 + random.IntN(3) {
		d.changeOne(random)
	}
}

func (d *deployment) changeOne(random *rand.Rand) {
	switch random.IntN(10) {
	case 0, 1:
		if d.source == api.SourceGitHost {
			d.text["repo_ref"] = pick(random, "main", "release", "next")
		} else {
			d.text["image_uri"] = fmt.Sprintf("registry.example.com/agents/chat:%d", random.IntN(1000))
		}
	case 2, 3, 4:
		d.changeVariables(random)
	case 5:
		if d.source == api.SourceGitHost {
			d.onPush = !d.onPush
		} else {
			name := pick(random, "cpu", "memory_mb", "max_scale")
			d.numbers[name] = map[string]int{"cpu": 1, "memory_mb": 1024, "max_scale": 5}[name] * (1 + random.IntN(2))
		}
	case 6:
		d.triggers++
	case 7:
		d.keep = !d.keep
	case 8:
		switch {
		case d.extended && chance(random, 0.5):
			d.text["deployment_tier"] = string(pick(random, api.DeploymentTiers...))
		case d.extended:
			d.text["display_name"] = "Chat " + value(random)
		case d.source == api.SourceGitHost:
			d.text["install_command"] = "make " + value(random)
		default:
			d.text["custom_url"] = "https://" + value(random) + ".example.com"
		}
	case 9:
		if chance(random, 0.5) {
			d.renamed++
			d.name = fmt.Sprintf("chaos-%s-%d", d.label, d.renamed)
		}
	}
}

func (d *deployment) changeVariables(random *rand.Rand) {
	in := "environment"
	if len(d.variables) > 0 {
		in = pick(random, slices.Sorted(maps.Keys(d.variables))...)
	}
	if d.variables[in] == nil {
		d.variables[in] = map[string]string{}
	}
	d.variables[in][fmt.Sprintf("%s_%d", strings.ToUpper(in), random.IntN(3))] = value(random)
	if remove := fmt.Sprintf("%s_%d", strings.ToUpper(in), random.IntN(3)); len(d.variables[in]) > 1 && chance(random, 0.4) {
		delete(d.variables[in], remove)
	}
}

func (d *deployment) kind() *kind { return deployments }

func (d *deployment) block() string { return d.label }

func (d *deployment) key() string { return d.name }

func (d *deployment) owns(name string) bool {
	return name == "chaos-"+d.label || strings.HasPrefix(name, "chaos-"+d.label+"-")
}

// merged returns all variables.
func (d *deployment) merged() map[string]string {
	all := map[string]string{}
	for _, variables := range d.variables {
		maps.Copy(all, variables)
	}
	return all
}

func (d *deployment) hcl(at place) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	text := func(names ...string) {
		for _, name := range names {
			if v, ok := d.text[name]; ok {
				line("%s = %q", name, v)
			}
		}
	}
	line("resource \"agentplane_deployment\" %q {", d.label)
	line("name = %q\nsource = %q\nenvironment_ownership = %q", d.name, d.source, d.ownership)
	text("display_name", "deployment_tier")
	if d.keep {
		line("on_failed_create = \"keep\"")
	}
	if d.extended {
		line("delete_tracing_project = true")
	}
	if d.triggers > 0 {
		line("triggers = { n = \"%d\" }", d.triggers)
	}
	for _, in := range variableMaps {
		if variables, ok := d.variables[in]; ok {
			line("%s = {", in)
			for _, name := range slices.Sorted(maps.Keys(variables)) {
				line("%s = %q", name, variables[name])
			}
			line("}")
		}
	}
	line("source_config = {")
	text("custom_url", "install_command")
	if d.source == api.SourceGitHost {
		line("integration_id = %q\nrepo_url = \"https://git.example.com/example-org/chat\"\nbuild_on_push = %t", at.integrationID, d.onPush)
	} else {
		listenerID := fmt.Sprintf("%q", at.listenerID)
		if d.listener != nil {
			listenerID = "agentplane_listener." + d.listener.label + ".id"
		}
		line("listener_id = %s\nlistener_config = { k8s_namespace = %q }", listenerID, at.namespace)
		if len(d.numbers) > 0 {
			line("resource_spec = {")
			for _, name := range slices.Sorted(maps.Keys(d.numbers)) {
				line("%s = %d", name, d.numbers[name])
			}
			line("}")
		}
	}
	line("}\nsource_revision_config = {")
	text("repo_ref", "graph_config_path", "image_uri")
	line("}\n}")
	return b.String()
}

func (d *deployment) settings() settings {
	all := settings{"source": string(d.source)}
	maps.Copy(all, d.text)
	if d.source == api.SourceGitHost {
		all["build_on_push"] = strconv.FormatBool(d.onPush)
	}
	for name, number := range d.numbers {
		all[name] = fmt.Sprint(number)
	}
	for name, value := range d.merged() {
		all[variable+name] = value
	}
	return all
}

const variable = "variable "

func (d *deployment) of(f found) settings {
	current, ok := f.body.(api.Deployment)
	if !ok {
		return nil
	}
	branch := current.SourceRevisionConfig.RepoRef
	if current.SourceConfig.RepoBranch != nil {
		branch = current.SourceConfig.RepoBranch
	}
	all := settings{"source": string(current.Source)}
	for name, text := range map[string]*string{
		"image_uri": current.SourceRevisionConfig.ImageURI, "repo_ref": branch, "graph_config_path": current.SourceRevisionConfig.GraphConfigPath,
		"display_name": current.DisplayName, "deployment_tier": (*string)(current.DeploymentTier), "custom_url": current.SourceConfig.CustomURL, "install_command": current.SourceConfig.InstallCommand,
	} {
		if _, configured := d.text[name]; configured && text != nil {
			all[name] = *text
		}
	}
	if onPush := current.SourceConfig.BuildOnPush; onPush != nil && d.source == api.SourceGitHost {
		all["build_on_push"] = strconv.FormatBool(*onPush)
	}
	spec := map[string]any{}
	if encoded, err := json.Marshal(current.SourceConfig.ResourceSpec); err == nil {
		_ = json.Unmarshal(encoded, &spec) // It is an object or null.
	}
	for name := range d.numbers {
		all[name] = fmt.Sprint(spec[name])
	}
	mine := d.merged()
	for _, secret := range current.Secrets {
		if _, ours := mine[secret.Name]; ours || d.ownership == "all" && len(mine) > 0 {
			all[variable+secret.Name] = secret.Value
		}
	}
	return all
}

func (d *deployment) clone() object {
	copied := *d
	copied.text, copied.numbers, copied.variables = maps.Clone(d.text), maps.Clone(d.numbers), map[string]map[string]string{}
	for in, variables := range d.variables {
		copied.variables[in] = maps.Clone(variables)
	}
	return &copied
}

// meddle implements object. Where values are hidden nobody could see that one was changed, so only names are.
func (d *deployment) meddle(random *rand.Rand, s *service, f found, meanwhile bool) string {
	s.t.Helper()
	path := "/v2/deployments/" + f.id
	body := map[string]any{}
	revision := func(name string, v any) { body["source_revision_config"] = map[string]any{name: v} }
	switch choice := random.IntN(7); {
	case choice < 2 && d.source == api.SourceGitHost:
		revision("repo_ref", "next")
	case choice < 2:
		revision("image_uri", "registry.example.com/agents/chat:theirs")
	case choice == 2 && d.source == api.SourceExternalContainer && len(d.numbers) > 0:
		body["source_config"] = map[string]any{"resource_spec": map[string]any{"cpu": 3, "memory_mb": 4096}}
	case choice == 3 && !meanwhile:
		if s.account.Dialect.ProjectsBlockNames {
			path += "?delete_tracing_project=true" // Otherwise the name could never be used again.
		}
		s.call(http.MethodDelete, path, nil, nil)
		if chance(random, 0.5) { // Then it is gone at once.
			s.clock.Advance(rollout)
		}
		return "delete"
	case choice == 6 && len(s.revisions(f.id)) > 1:
		s.try(http.MethodPost, path+"/revisions/"+s.revisions(f.id)[1].ID+"/redeploy", nil) // Refused while another change is in progress.
		return "roll back"
	case d.hides == omits:
		revision(pick(random, revisionField[d.source]), pick(random, "main", "release"))
	default:
		current, _ := f.body.(api.Deployment)
		body["secrets"] = meddledSecrets(random, current.Secrets, d.hides)
	}
	s.call(http.MethodPatch, path, body, nil)
	if chance(random, 0.5) {
		s.clock.Advance(rollout)
	}
	return fmt.Sprint(body)
}

// revisionField is the field that a new revision of a source changes.
var revisionField = map[api.Source]string{api.SourceGitHost: "repo_ref", api.SourceExternalContainer: "image_uri"}

// meddledSecrets returns an environment with a variable added, removed or changed.
func meddledSecrets(random *rand.Rand, secrets []api.Secret, hides hiding) []map[string]string {
	values := map[string]string{"THEIRS": value(random)}
	for _, secret := range secrets {
		values[secret.Name] = secret.Value
	}
	if names := slices.Sorted(maps.Keys(values)); chance(random, 0.3) {
		delete(values, pick(random, names...))
	} else if hides == tells && chance(random, 0.5) {
		values[pick(random, names...)] = value(random)
	}
	all := []map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, map[string]string{"name": name, "value": values[name]})
	}
	return all
}

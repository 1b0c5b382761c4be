package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// settings are what a deployment is configured to, or what the service holds of that, as texts by their names. Everything
// that isn't configured is left out of both, but for variables, if the configuration is the only one to say them.
type settings map[string]string

// settings are those of a configuration.
func (w *wanted) settings() settings {
	all := settings{"source": string(w.source)}
	maps.Copy(all, w.text)
	if w.source == api.SourceGitHost {
		all["build_on_push"] = strconv.FormatBool(w.onPush)
	}
	for name, number := range w.numbers {
		all[name] = fmt.Sprint(number)
	}
	for name, value := range w.merged() {
		all[variable+name] = value
	}
	return all
}

const variable = "variable "

// of are the settings that the service holds.
func (w *wanted) of(d api.Deployment) settings {
	branch := d.SourceRevisionConfig.RepoRef
	if d.SourceConfig.RepoBranch != nil {
		branch = d.SourceConfig.RepoBranch
	}
	all := settings{"source": string(d.Source)}
	for name, text := range map[string]*string{
		"image_uri": d.SourceRevisionConfig.ImageURI, "repo_ref": branch, "graph_config_path": d.SourceRevisionConfig.GraphConfigPath,
		"display_name": d.DisplayName, "custom_url": d.SourceConfig.CustomURL, "install_command": d.SourceConfig.InstallCommand,
	} {
		if _, configured := w.text[name]; configured && text != nil {
			all[name] = *text
		}
	}
	if onPush := d.SourceConfig.BuildOnPush; onPush != nil && w.source == api.SourceGitHost {
		all["build_on_push"] = strconv.FormatBool(*onPush)
	}
	spec := map[string]any{}
	if encoded, err := json.Marshal(d.SourceConfig.ResourceSpec); err == nil {
		_ = json.Unmarshal(encoded, &spec) // It is an object or null.
	}
	for name := range w.numbers {
		all[name] = fmt.Sprint(spec[name])
	}
	mine := w.merged()
	for _, secret := range d.Secrets {
		if _, ours := mine[secret.Name]; ours || w.ownership == "all" && len(mine) > 0 {
			all[variable+secret.Name] = secret.Value
		}
	}
	return all
}

// differences are the names of the settings in which two differ, with both values.
func differences(want, got settings) map[string]string {
	wrong := map[string]string{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got))) {
		if want[name] != got[name] {
			wrong[name] = fmt.Sprintf("%s is %q, not %q", name, got[name], want[name])
		}
	}
	return wrong
}

func (w *wanted) clone() *wanted {
	copied := *w
	copied.text, copied.numbers, copied.variables = maps.Clone(w.text), maps.Clone(w.numbers), map[string]map[string]string{}
	for in, variables := range w.variables {
		copied.variables[in] = maps.Clone(variables)
	}
	return &copied
}

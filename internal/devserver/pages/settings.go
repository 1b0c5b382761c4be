package pages

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// settingsOf returns the settings of a deployment under the API's names, without its environment.
func settingsOf(d api.Deployment) ([]web.Setting, error) {
	config, err := json.Marshal(map[string]any{
		"source_config": d.SourceConfig, "source_revision_config": d.SourceRevisionConfig, "shareable": d.Shareable, "image_version": d.ImageVersion,
	})
	if err != nil {
		return nil, err
	}
	value, err := form.Parse(config)
	if err != nil {
		return nil, err
	}
	return flattened(nil, "", value), nil
}

// flattened adds the settings below a name.
func flattened(settings []web.Setting, name string, value any) []web.Setting {
	switch v := value.(type) {
	case nil:
		return settings
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			deeper := key
			if name != "" {
				deeper = name + "." + key
			}
			settings = flattened(settings, deeper, v[key])
		}
		return settings
	case []any:
		for i, element := range v {
			settings = flattened(settings, fmt.Sprintf("%s[%d]", name, i), element)
		}
		return settings
	default:
		return append(settings, web.Setting{Name: name, Value: fmt.Sprint(v)})
	}
}

// compared pairs the settings of two sides, in the order of their names.
func compared(before, after []web.Setting) web.ComparedSettings {
	all := map[string]*web.ComparedSetting{}
	side := func(settings []web.Setting, value func(*web.ComparedSetting) *string) {
		for _, s := range settings {
			if all[s.Name] == nil {
				all[s.Name] = &web.ComparedSetting{Name: s.Name}
			}
			*value(all[s.Name]) = s.Value
		}
	}
	side(before, func(s *web.ComparedSetting) *string { return &s.Before })
	side(after, func(s *web.ComparedSetting) *string { return &s.After })
	return form.Collect(slices.Sorted(maps.Keys(all)), func(name string) web.ComparedSetting { return *all[name] })
}

// revisionSettings returns what a revision was made of. Everything else belongs to the deployment, which keeps no earlier values.
func revisionSettings(row store.Revision) (settings []web.Setting) {
	for _, setting := range []struct {
		name  string
		value *string
	}{
		{"build_command", row.BuildCommand}, {"graph_config_path", row.GraphConfigPath}, {"image_uri", row.ImageURI},
		{"image_version", row.ImageVersion}, {"install_command", row.InstallCommand}, {"repo_commit_sha", row.RepoCommitSHA},
		{"repo_ref", row.RepoRef}, {"source_tarball_path", row.SourceTarballPath},
	} {
		if value := api.OrEmpty(setting.value); value != "" {
			settings = append(settings, web.Setting{Name: setting.name, Value: value})
		}
	}
	return settings
}

// suggestedNames is how many deployments are suggested in a form.
const suggestedNames = 200

// showSettings compares the settings of two deployments, which the query names.
func (s *Service) showSettings(c *rest.Call, frame web.Frame) (web.View, error) {
	query := c.Request.URL.Query()
	view := web.SettingsView{Frame: frame, A: web.SettingsSide{Name: query.Get("a")}, B: web.SettingsSide{Name: query.Get("b")}}
	rows, err := c.Tx.Deployments(c.WorkspaceID, store.DeploymentFilter{Order: "name"}, store.Page{Limit: suggestedNames})
	if err != nil {
		return nil, err
	}
	view.Names = form.Collect(rows, func(d store.Deployment) string { return d.Name })
	if view.A.Name != "" && view.B.Name != "" {
		var sides [2][]web.Setting
		for i, side := range []*web.SettingsSide{&view.A, &view.B} {
			if sides[i], err = s.settingsNamed(c, side); err != nil {
				return nil, err
			}
			if sides[i] == nil && view.Problem == "" {
				view.Problem = fmt.Sprintf("There is no deployment %q in this workspace.", side.Name)
			}
		}
		if view.Problem == "" {
			view.Settings = compared(sides[0], sides[1])
		}
	}
	return view, nil
}

// settingsNamed returns the settings of the deployment with a name or an ID, with the names of its environment; nil if there is none.
func (s *Service) settingsNamed(c *rest.Call, side *web.SettingsSide) ([]web.Setting, error) {
	find := c.Tx.DeploymentNamed
	if _, err := uuid.Parse(side.Name); err == nil {
		find = c.Tx.Deployment
	}
	row, err := find(c.WorkspaceID, side.Name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	side.ID, side.Name = row.ID, row.Name
	d, err := s.control.Response(c, row)
	if err != nil {
		return nil, err
	}
	settings, err := settingsOf(d)
	for _, secret := range d.Secrets {
		settings = append(settings, web.Setting{Name: "environment." + secret.Name, Value: "set"})
	}
	for _, reference := range d.SecretReferences {
		settings = append(settings, web.Setting{Name: "secret_references." + reference.Name, Value: "set"})
	}
	return append(settings, web.Setting{Name: "source", Value: string(d.Source)}), err
}

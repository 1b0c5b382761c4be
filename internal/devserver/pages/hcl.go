package pages

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// hclOf returns the configuration that imports a deployment: an import block, and a resource whose plan shows no change.
// Unconfigured resource settings are not managed, and values of the environment are unknown.
func hclOf(d api.Deployment) (string, error) {
	label := labelOf(d.Name)
	file := hclwrite.NewEmptyFile()
	imported := file.Body().AppendNewBlock("import", nil).Body()
	imported.SetAttributeTraversal("to", hcl.Traversal{hcl.TraverseRoot{Name: "agentplane_deployment"}, hcl.TraverseAttr{Name: label}})
	imported.SetAttributeValue("id", cty.StringVal(d.ID))
	file.Body().AppendNewline()
	resource := file.Body().AppendNewBlock("resource", []string{"agentplane_deployment", label}).Body()
	resource.SetAttributeValue("name", cty.StringVal(d.Name))
	resource.SetAttributeValue("source", cty.StringVal(string(d.Source)))
	for _, of := range []struct {
		name   string
		config any
		keys   []string
	}{
		{"source_config", d.SourceConfig, []string{
			"integration_id", "repo_url", "deployment_type", "build_on_push", "custom_url", "listener_id", "listener_config", "install_command",
			"build_command",
		}},
		{"source_revision_config", d.SourceRevisionConfig, []string{"repo_ref", "graph_config_path", "image_uri"}},
	} {
		value, err := objectOf(of.config, of.keys)
		if err != nil {
			return "", err
		}
		resource.SetAttributeValue(of.name, value)
	}
	text := string(hclwrite.Format(file.Bytes()))
	if names := form.Collect(d.Secrets, func(s api.Secret) string { return s.Name }); len(names) > 0 {
		text += "# Set in its environment, and not managed unless environment or secrets is configured: " + strings.Join(names, ", ") + "\n"
	}
	return text, nil
}

// notInLabel matches characters that a resource's label can't contain.
var notInLabel = regexp.MustCompile(`[^a-z0-9_]+`)

func labelOf(name string) string {
	label := strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if label == "" || label[0] >= '0' && label[0] <= '9' {
		label = "deployment_" + label
	}
	return strings.TrimSuffix(label, "_")
}

// objectOf returns the members of a configuration that are set and for which the resource has arguments.
func objectOf(config any, keys []string) (cty.Value, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return cty.NilVal, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return cty.NilVal, err
	}
	set := map[string]json.RawMessage{}
	for _, key := range keys {
		if value, is := all[key]; is && string(value) != "null" {
			set[key] = value
		}
	}
	var value ctyjson.SimpleJSONValue
	if err := json.Unmarshal(rawjson.EncodeMembers(set), &value); err != nil {
		return cty.NilVal, err
	}
	return value.Value, nil
}

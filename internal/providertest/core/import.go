package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// importStep runs "import", into the state of the test or into a separate one.
func (r *runner) importStep(step resource.TestStep) error {
	at, err := r.named(step.ResourceName)
	if err != nil {
		return err
	}
	before, err := r.show()
	if err != nil {
		return err
	}
	id := step.ImportStateId
	switch {
	case step.ImportStateIdFunc != nil:
		if id, err = step.ImportStateIdFunc(legacyState(before)); err != nil {
			return err
		}
	case id == "":
		existing, ok := legacyState(before).RootModule().Resources[step.ResourceName]
		if !ok {
			return fmt.Errorf("there is no %s whose id could be imported", step.ResourceName)
		}
		id = existing.Primary.ID
	}
	into := newState()
	if step.ImportStatePersist {
		into = r.state
	}
	c, err := r.commandOn(into)
	if err != nil {
		return err
	}
	adopted, wrong := c.adopt(r.t.Context(), at, step.ImportStateIdPrefix+id)
	if len(wrong) > 0 {
		return fmt.Errorf("error running import: %w", wrong)
	}
	if step.ImportStatePersist {
		r.state = adopted
	}
	after, err := c.showState(adopted)
	if err != nil {
		return err
	}
	if step.ImportStateCheck != nil {
		var instances []*terraform.InstanceState
		for _, imported := range legacyState(after).RootModule().Resources {
			instances = append(instances, imported.Primary)
		}
		if err := step.ImportStateCheck(instances); err != nil {
			return err
		}
	}
	if !step.ImportStateVerify {
		return nil
	}
	return sameAttributes(legacyState(before), legacyState(after), step.ResourceName, step.ImportStateVerifyIgnore)
}

// named returns the address of a configured instance.
func (r *runner) named(name string) (address, error) {
	for key := range r.module.resources {
		if instance, ok := strings.CutPrefix(name, key.String()); ok && (instance == "" || instance[0] == '[') {
			return address{key, instance}, nil
		}
	}
	return address{}, fmt.Errorf("%s is not configured", name)
}

// sameAttributes compares the created object with the imported one. Empty collections equal missing ones.
func sameAttributes(made, imported *terraform.State, name string, ignored []string) error {
	compared := func(s *terraform.State) map[string]string {
		attributes := maps.Clone(s.RootModule().Resources[name].Primary.Attributes)
		maps.DeleteFunc(attributes, func(key, value string) bool {
			empty := value == "0" && (strings.HasSuffix(key, ".#") || strings.HasSuffix(key, ".%"))
			return empty || slices.ContainsFunc(ignored, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		})
		return attributes
	}
	if diff := cmp.Diff(compared(made), compared(imported)); diff != "" {
		return fmt.Errorf("the imported attributes differ (-made +imported):\n%s", diff)
	}
	return nil
}

// legacyState is a state in the form that check functions take: attributes are strings, by path.
func legacyState(shown *tfjson.State) *terraform.State {
	root := &terraform.ModuleState{
		Path: []string{"root"}, Outputs: map[string]*terraform.OutputState{}, Resources: map[string]*terraform.ResourceState{},
	}
	legacy := &terraform.State{Modules: []*terraform.ModuleState{root}}
	if shown.Values == nil {
		return legacy
	}
	for name, output := range shown.Values.Outputs {
		root.Outputs[name] = &terraform.OutputState{Sensitive: output.Sensitive, Value: output.Value}
	}
	for _, from := range shown.Values.RootModule.Resources {
		attributes := map[string]string{}
		flatten(attributes, "", from.AttributeValues)
		root.Resources[legacyKey(from.Address)] = &terraform.ResourceState{
			Type: from.Type, Provider: from.ProviderName, Dependencies: from.DependsOn,
			Primary: &terraform.InstanceState{ID: attributes["id"], Attributes: attributes, Tainted: from.Tainted},
		}
	}
	return legacy
}

// legacyKey writes instances of count as resource.name.0.
func legacyKey(address string) string {
	return strings.TrimSuffix(strings.ReplaceAll(address, "[", "."), "]")
}

func flatten(into map[string]string, at string, v any) {
	switch v := v.(type) {
	case nil:
	case map[string]any:
		prefix := ""
		if at != "" {
			prefix = at + "."
		}
		for name, member := range v {
			flatten(into, prefix+name, member)
		}
		into[prefix+"%"] = fmt.Sprint(len(v))
	case []any:
		for i, element := range v {
			flatten(into, fmt.Sprintf("%s.%d", at, i), element)
		}
		into[at+".#"] = fmt.Sprint(len(v))
	default:
		into[at] = fmt.Sprint(v)
	}
}

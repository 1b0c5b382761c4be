package controlplane

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Forms of names.
var (
	deploymentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
	dnsLabel       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	dnsSubdomain   = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
	dataKey        = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
	cIdentifier    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

var (
	pullPolicies    = []string{"Always", "Never", "IfNotPresent"}
	restartPolicies = []string{"Always", "OnFailure"}
)

// deploymentForm checks the form of what a deployment is made of.
type deploymentForm struct{ rest.Form }

func checkCreateForm(request api.DeploymentCreateRequest) error {
	var f deploymentForm
	body := []api.LocStep{api.Key("body")}
	f.Pattern(request.Name, deploymentName, rest.Loc(body, "name"))
	f.config(request.SourceConfig, rest.Loc(body, "source_config"))
	f.secrets(request.Secrets, rest.Loc(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	f.references(references, rest.Loc(body, "secret_references"))
	return f.Err()
}

func checkPatchForm(request api.DeploymentPatchRequest) error {
	var f deploymentForm
	body := []api.LocStep{api.Key("body")}
	config, _ := request.SourceConfig.Get()
	f.config(config, rest.Loc(body, "source_config"))
	secrets, _ := request.Secrets.Get()
	f.secrets(secrets, rest.Loc(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	f.references(references, rest.Loc(body, "secret_references"))
	if name, sent := request.DisplayName.Get(); sent && name == "" {
		f.Add(rest.Loc(body, "display_name"), "string_too_short", "String should have at least 1 character")
	}
	return f.Err()
}

// checkListenerForm takes no compute ID for a patch, which has none.
func checkListenerForm(computeID *string, config api.ListenerComputeConfigRequest) error {
	var f deploymentForm
	body := []api.LocStep{api.Key("body")}
	if computeID != nil && *computeID == "" {
		f.Add(rest.Loc(body, "compute_id"), "string_too_short", "String should have at least 1 character")
	}
	for i, namespace := range namespacesOf(config) {
		f.Pattern(namespace, dnsLabel, rest.Loc(body, "compute_config", "k8s_namespaces", i))
	}
	return f.Err()
}

// secrets become environment variables, whose names can be anything but empty and can't contain an equals sign.
func (f *deploymentForm) secrets(secrets []api.Secret, loc []api.LocStep) {
	for i, s := range secrets {
		f.variable(s.Name, rest.Loc(loc, i, "name"))
	}
}

// references name environment variables like secrets, and in Kubernetes both a secret and a key in it.
func (f *deploymentForm) references(references []api.SecretReference, loc []api.LocStep) {
	for i, r := range references {
		f.variable(r.Name, rest.Loc(loc, i, "name"))
		f.Pattern(r.SecretName, dnsSubdomain, rest.Loc(loc, i, "secret_name"))
		f.Pattern(r.SecretKey, dataKey, rest.Loc(loc, i, "secret_key"))
	}
}

func (f *deploymentForm) variable(name string, loc []api.LocStep) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		f.Add(loc, "string_pattern_mismatch", "String should match pattern '^[^=]+$'")
	}
}

func (f *deploymentForm) config(config api.SourceConfigRequest, loc []api.LocStep) {
	if listener, sent := config.ListenerConfig.Get(); sent && listener.K8sNamespace != nil {
		f.Pattern(*listener.K8sNamespace, dnsLabel, rest.Loc(loc, "listener_config", "k8s_namespace"))
	}
	spec, sent := config.ResourceSpec.Get()
	if !sent {
		return
	}
	loc = rest.Loc(loc, "resource_spec")
	f.notNegative(spec, loc)
	for i, volume := range spec.Volumes {
		f.Pattern(volume.Name, dnsLabel, rest.Loc(loc, "volumes", i, "name"))
	}
	f.containers(spec.InitContainers, rest.Loc(loc, "init_containers"))
	f.containers(spec.Sidecars, rest.Loc(loc, "sidecars"))
}

// notNegative checks every number of the spec.
func (f *deploymentForm) notNegative(spec api.ResourceSpec, loc []api.LocStep) {
	v := reflect.ValueOf(spec)
	for i := range v.NumField() {
		number := reflect.Indirect(v.Field(i))
		if number.CanInt() && number.Int() < 0 || number.CanFloat() && number.Float() < 0 {
			f.Add(rest.Loc(loc, rest.WireField(v.Type().Field(i)).Name),
				"greater_than_equal", "Input should be greater than or equal to 0")
		}
	}
}

func (f *deploymentForm) containers(containers []api.Container, loc []api.LocStep) {
	for i, container := range containers {
		f.Pattern(container.Name, dnsLabel, rest.Loc(loc, i, "name"))
		f.Choice(container.ImagePullPolicy, pullPolicies, rest.Loc(loc, i, "imagePullPolicy"))
		f.Choice(container.RestartPolicy, restartPolicies, rest.Loc(loc, i, "restartPolicy"))
		for j, env := range container.Env {
			f.Pattern(env.Name, cIdentifier, rest.Loc(loc, i, "env", j, "name"))
		}
	}
}

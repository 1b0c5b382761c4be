package devserver

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
type deploymentForm struct{ form }

func checkCreateForm(request api.DeploymentCreateRequest) error {
	var f deploymentForm
	body := []api.LocStep{api.Key("body")}
	f.pattern(request.Name, deploymentName, in(body, "name"))
	f.config(request.SourceConfig, in(body, "source_config"))
	f.secrets(request.Secrets, in(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	f.references(references, in(body, "secret_references"))
	return f.err()
}

func checkPatchForm(request api.DeploymentPatchRequest) error {
	var f deploymentForm
	body := []api.LocStep{api.Key("body")}
	config, _ := request.SourceConfig.Get()
	f.config(config, in(body, "source_config"))
	secrets, _ := request.Secrets.Get()
	f.secrets(secrets, in(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	f.references(references, in(body, "secret_references"))
	if name, sent := request.DisplayName.Get(); sent && name == "" {
		f.add(in(body, "display_name"), "string_too_short", "String should have at least 1 character")
	}
	return f.err()
}

// checkListenerForm takes no compute ID for a patch, which has none.
func checkListenerForm(computeID *string, config api.ListenerComputeConfigRequest) error {
	var f deploymentForm
	body := []api.LocStep{api.Key("body")}
	if computeID != nil && *computeID == "" {
		f.add(in(body, "compute_id"), "string_too_short", "String should have at least 1 character")
	}
	for i, namespace := range namespacesOf(config) {
		f.pattern(namespace, dnsLabel, in(body, "compute_config", "k8s_namespaces", i))
	}
	return f.err()
}

// secrets become environment variables, whose names can be anything but empty and can't contain an equals sign.
func (f *deploymentForm) secrets(secrets []api.Secret, loc []api.LocStep) {
	for i, s := range secrets {
		f.variable(s.Name, in(loc, i, "name"))
	}
}

// references name environment variables like secrets, and in Kubernetes both a secret and a key in it.
func (f *deploymentForm) references(references []api.SecretReference, loc []api.LocStep) {
	for i, r := range references {
		f.variable(r.Name, in(loc, i, "name"))
		f.pattern(r.SecretName, dnsSubdomain, in(loc, i, "secret_name"))
		f.pattern(r.SecretKey, dataKey, in(loc, i, "secret_key"))
	}
}

func (f *deploymentForm) variable(name string, loc []api.LocStep) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		f.add(loc, "string_pattern_mismatch", "String should match pattern '^[^=]+$'")
	}
}

func (f *deploymentForm) config(config api.SourceConfigRequest, loc []api.LocStep) {
	if listener, sent := config.ListenerConfig.Get(); sent && listener.K8sNamespace != nil {
		f.pattern(*listener.K8sNamespace, dnsLabel, in(loc, "listener_config", "k8s_namespace"))
	}
	spec, sent := config.ResourceSpec.Get()
	if !sent {
		return
	}
	loc = in(loc, "resource_spec")
	f.notNegative(spec, loc)
	for i, volume := range spec.Volumes {
		f.pattern(volume.Name, dnsLabel, in(loc, "volumes", i, "name"))
	}
	f.containers(spec.InitContainers, in(loc, "init_containers"))
	f.containers(spec.Sidecars, in(loc, "sidecars"))
}

// notNegative checks every number of the spec.
func (f *deploymentForm) notNegative(spec api.ResourceSpec, loc []api.LocStep) {
	v := reflect.ValueOf(spec)
	for i := range v.NumField() {
		number := reflect.Indirect(v.Field(i))
		if number.CanInt() && number.Int() < 0 || number.CanFloat() && number.Float() < 0 {
			f.add(in(loc, wireField(v.Type().Field(i)).name),
				"greater_than_equal", "Input should be greater than or equal to 0")
		}
	}
}

func (f *deploymentForm) containers(containers []api.Container, loc []api.LocStep) {
	for i, container := range containers {
		f.pattern(container.Name, dnsLabel, in(loc, i, "name"))
		f.choice(container.ImagePullPolicy, pullPolicies, in(loc, i, "imagePullPolicy"))
		f.choice(container.RestartPolicy, restartPolicies, in(loc, i, "restartPolicy"))
		for j, env := range container.Env {
			f.pattern(env.Name, cIdentifier, in(loc, i, "env", j, "name"))
		}
	}
}

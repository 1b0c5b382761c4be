package controlplane

import (
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Patterns of names.
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

// deploymentValidator validates the parts of a deployment.
type deploymentValidator struct{ rest.BodyValidator }

func validateCreate(dialect *api.Dialect, request api.DeploymentCreateRequest) error {
	var v deploymentValidator
	body := []api.LocStep{api.Key("body")}
	v.Pattern(request.Name, deploymentName, rest.Loc(body, "name"))
	v.config(dialect, request.SourceConfig, rest.Loc(body, "source_config"))
	v.secrets(request.Secrets, rest.Loc(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	v.references(references, rest.Loc(body, "secret_references"))
	return v.Err()
}

func validatePatch(dialect *api.Dialect, request api.DeploymentPatchRequest) error {
	var v deploymentValidator
	body := []api.LocStep{api.Key("body")}
	config, _ := request.SourceConfig.Get()
	v.config(dialect, config, rest.Loc(body, "source_config"))
	secrets, _ := request.Secrets.Get()
	v.secrets(secrets, rest.Loc(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	v.references(references, rest.Loc(body, "secret_references"))
	for field, text := range map[string]api.Optional[string]{"display_name": request.DisplayName, "tracked_repo_ref": request.TrackedRepoRef} {
		if value, sent := text.Get(); sent && value == "" {
			v.Add(rest.Loc(body, field), "string_too_short", "String should have at least 1 character")
		}
	}
	return v.Err()
}

// secrets become environment variables. Their names must not be empty or contain an equals sign.
func (v *deploymentValidator) secrets(secrets []api.Secret, loc []api.LocStep) {
	for i, s := range secrets {
		v.variable(s.Name, rest.Loc(loc, i, "name"))
	}
}

// references name environment variables like secrets, and also a Kubernetes secret and a key in it.
func (v *deploymentValidator) references(references []api.SecretReference, loc []api.LocStep) {
	for i, r := range references {
		v.variable(r.Name, rest.Loc(loc, i, "name"))
		v.Pattern(r.SecretName, dnsSubdomain, rest.Loc(loc, i, "secret_name"))
		v.Pattern(r.SecretKey, dataKey, rest.Loc(loc, i, "secret_key"))
	}
}

func (v *deploymentValidator) variable(name string, loc []api.LocStep) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		v.Add(loc, "string_pattern_mismatch", "String should match pattern '^[^=]+$'")
	}
}

func (v *deploymentValidator) config(dialect *api.Dialect, config api.SourceConfigRequest, loc []api.LocStep) {
	if listener, sent := config.ListenerConfig.Get(); sent && listener.K8sNamespace != nil {
		v.Pattern(*listener.K8sNamespace, dnsLabel, rest.Loc(loc, "listener_config", "k8s_namespace"))
	}
	spec, sent := config.ResourceSpec.Get()
	if !sent {
		return
	}
	loc = rest.Loc(loc, "resource_spec")
	v.numbers(dialect, spec, loc)
	for i, volume := range spec.Volumes {
		v.Pattern(volume.Name, dnsLabel, rest.Loc(loc, "volumes", i, "name"))
	}
	v.containers(spec.InitContainers, rest.Loc(loc, "init_containers"))
	v.containers(spec.Sidecars, rest.Loc(loc, "sidecars"))
}

// numbers checks every number of the spec. None is negative, and none that counts is beyond api.MaxCount.
func (v *deploymentValidator) numbers(dialect *api.Dialect, spec api.ResourceSpec, loc []api.LocStep) {
	fields := reflect.ValueOf(spec)
	for i := range fields.NumField() {
		name := rest.WireField(fields.Type().Field(i)).Name
		if fields.Field(i).Kind() != reflect.Pointer || fields.Field(i).IsNil() {
			continue
		}
		value := number(fields.Field(i).Elem().Interface())
		if value == nil {
			continue // A text.
		}
		_, cores := reflect.TypeAssert[*api.CPU](fields.Field(i))
		low, high := 0.0, math.Inf(1)
		switch bound, is := api.CPUBounds[name]; {
		case cores && dialect.FractionalCPU && is:
			low = float64(bound.Least)
			if bound.Most > 0 {
				high = float64(bound.Most)
			}
		case cores && !dialect.FractionalCPU, fields.Field(i).Type() == reflect.TypeFor[*int64]():
			high = api.MaxCount
		}
		if *value < low {
			v.Add(rest.Loc(loc, name), "greater_than_equal", "Input should be greater than or equal to %s", decimal(low))
		}
		if *value > high {
			v.Add(rest.Loc(loc, name), "less_than_equal", "Input should be less than or equal to %s", decimal(high))
		}
	}
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (v *deploymentValidator) containers(containers []api.Container, loc []api.LocStep) {
	for i, container := range containers {
		v.Pattern(container.Name, dnsLabel, rest.Loc(loc, i, "name"))
		v.Choice(container.ImagePullPolicy, pullPolicies, rest.Loc(loc, i, "imagePullPolicy"))
		v.Choice(container.RestartPolicy, restartPolicies, rest.Loc(loc, i, "restartPolicy"))
		for j, env := range container.Env {
			v.Pattern(env.Name, cIdentifier, rest.Loc(loc, i, "env", j, "name"))
		}
	}
}

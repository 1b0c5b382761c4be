package controlplane

import (
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// Patterns of names.
var (
	deploymentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
	dnsLabel       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	dnsSubdomain   = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
	dataKey        = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
	absolutePath   = regexp.MustCompile(`^/[^:]*$`)
	webURL         = regexp.MustCompile(`(?i)^https?://[^/?#]`)
	cIdentifier    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

var (
	pullPolicies    = []string{"Always", "Never", "IfNotPresent"}
	restartPolicies = []string{"Always", "OnFailure"}
)

// deploymentValidator validates the parts of a deployment.
type deploymentValidator struct{ form.Validator }

func validateCreate(dialect *api.Dialect, request api.DeploymentCreateRequest) error {
	var v deploymentValidator
	v.Pattern(request.Name, deploymentName, form.Body("name"))
	v.settings(dialect, request.SourceConfig, request.SourceRevisionConfig, request.Secrets, request.SecretReferences)
	return v.Err()
}

func validatePatch(dialect *api.Dialect, request api.DeploymentPatchRequest) error {
	var v deploymentValidator
	config, _ := request.SourceConfig.Get()
	revisionConfig, _ := request.SourceRevisionConfig.Get()
	secrets, _ := request.Secrets.Get()
	v.settings(dialect, config, revisionConfig, secrets, request.SecretReferences)
	for field, text := range map[string]api.Optional[string]{"display_name": request.DisplayName, "tracked_repo_ref": request.TrackedRepoRef} {
		if value, sent := text.Get(); sent {
			v.NotEmpty(value, form.Body(field))
		}
	}
	return v.Err()
}

// settings validates what both requests have.
func (v *deploymentValidator) settings(
	dialect *api.Dialect, config api.SourceConfigRequest, revisionConfig api.SourceRevisionConfigRequest, secrets []api.Secret,
	references api.Optional[[]api.SecretReference],
) {
	v.config(dialect, config, form.Body("source_config"))
	v.image(revisionConfig.ImageURI.Value, form.Body("source_revision_config", "image_uri"))
	v.secrets(secrets, form.Body("secrets"))
	named, _ := references.Get()
	v.references(named, form.Body("secret_references"))
}

func (v *deploymentValidator) image(image *string, loc []api.LocStep) {
	if image == nil {
		return
	}
	v.NotEmpty(*image, loc)
	if !api.CompleteDigest(*image) {
		v.Add(loc, "value_error", "Value error, the digest after @sha256: should have 64 hexadecimal digits")
	}
}

// secrets become environment variables. Their names must not be empty or contain an equals sign.
func (v *deploymentValidator) secrets(secrets []api.Secret, loc []api.LocStep) {
	for i, s := range secrets {
		v.variable(s.Name, form.Loc(loc, i, "name"))
	}
}

// references name environment variables like secrets, and also a Kubernetes secret and a key in it.
func (v *deploymentValidator) references(references []api.SecretReference, loc []api.LocStep) {
	for i, r := range references {
		v.variable(r.Name, form.Loc(loc, i, "name"))
		v.Pattern(r.SecretName, dnsSubdomain, form.Loc(loc, i, "secret_name"))
		v.Pattern(r.SecretKey, dataKey, form.Loc(loc, i, "secret_key"))
	}
}

func (v *deploymentValidator) variable(name string, loc []api.LocStep) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		v.Add(loc, "string_pattern_mismatch", "String should match pattern '^[^=]+$'")
	}
}

func (v *deploymentValidator) config(dialect *api.Dialect, config api.SourceConfigRequest, loc []api.LocStep) {
	if listener, sent := config.ListenerConfig.Get(); sent && listener.K8sNamespace != nil {
		v.Pattern(*listener.K8sNamespace, dnsLabel, form.Loc(loc, "listener_config", "k8s_namespace"))
	}
	if url := config.CustomURL.Value; url != nil && !webURL.MatchString(*url) {
		v.Add(form.Loc(loc, "custom_url"), "url_parsing", "Input should be a valid URL")
	}
	spec, sent := config.ResourceSpec.Get()
	if !sent {
		return
	}
	loc = form.Loc(loc, "resource_spec")
	v.numbers(dialect, spec, loc)
	for i, volume := range spec.Volumes {
		v.Pattern(volume.Name, dnsLabel, form.Loc(loc, "volumes", i, "name"))
	}
	if spec.ServiceAccountName != nil {
		v.Pattern(*spec.ServiceAccountName, dnsSubdomain, form.Loc(loc, "service_account_name"))
	}
	for i, secret := range spec.ImagePullSecrets {
		v.Pattern(secret.Name, dnsSubdomain, form.Loc(loc, "image_pull_secrets", i, "name"))
	}
	v.mounts(spec.VolumeMounts, form.Loc(loc, "volume_mounts"))
	v.containers(spec.InitContainers, form.Loc(loc, "init_containers"))
	for i, container := range spec.InitContainers {
		if container.RestartPolicy != nil {
			v.Add(form.Loc(loc, "init_containers", i, "restartPolicy"), "value_error", "Value error, restartPolicy applies to sidecars only")
		}
	}
	v.containers(spec.Sidecars, form.Loc(loc, "sidecars"))
}

// numbers checks every number of the spec. None is negative, and none that counts is beyond api.MaxCount.
func (v *deploymentValidator) numbers(dialect *api.Dialect, spec api.ResourceSpec, loc []api.LocStep) {
	fields := reflect.ValueOf(spec)
	for i := range fields.NumField() {
		name := form.WireField(fields.Type().Field(i)).Name
		value, is := number(fields.Field(i))
		if !is {
			continue
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
		if value < low {
			v.Add(form.Loc(loc, name), "greater_than_equal", "Input should be greater than or equal to %s", decimal(low))
		}
		if value > high {
			v.Add(form.Loc(loc, name), "less_than_equal", "Input should be less than or equal to %s", decimal(high))
		}
	}
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (v *deploymentValidator) containers(containers []api.Container, loc []api.LocStep) {
	for i, container := range containers {
		v.Pattern(container.Name, dnsLabel, form.Loc(loc, i, "name"))
		v.image(&container.Image, form.Loc(loc, i, "image"))
		v.mounts(container.VolumeMounts, form.Loc(loc, i, "volumeMounts"))
		v.Choice(container.ImagePullPolicy, pullPolicies, form.Loc(loc, i, "imagePullPolicy"))
		v.Choice(container.RestartPolicy, restartPolicies, form.Loc(loc, i, "restartPolicy"))
		for j, env := range container.Env {
			v.Pattern(env.Name, cIdentifier, form.Loc(loc, i, "env", j, "name"))
		}
	}
}

func (v *deploymentValidator) mounts(mounts []api.VolumeMount, loc []api.LocStep) {
	for i, mount := range mounts {
		v.Pattern(mount.MountPath, absolutePath, form.Loc(loc, i, "mountPath"))
		if mount.Name == "" {
			v.Pattern(mount.Name, dnsLabel, form.Loc(loc, i, "name"))
		}
	}
}

package devserver

import (
	"fmt"
	"mime"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Forms of names.
var (
	deploymentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
	dnsLabel       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	dnsSubdomain   = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
	dataKey        = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
	providerSlug   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	cIdentifier    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

var (
	pullPolicies    = []string{"Always", "Never", "IfNotPresent"}
	restartPolicies = []string{"Always", "OnFailure"}
)

// decodeBody is decode for the service's own endpoints, which take another content type for something that is no JSON.
func decodeBody[T any](c *call) (T, error) {
	contentType := c.request.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && (err != nil || media != "application/json" && !strings.HasSuffix(media, "+json")) {
		var none T
		return none, unprocessable(api.ValidationError{
			Loc:  []api.LocStep{api.Key("body")},
			Msg:  "Input should be a valid dictionary: send it with Content-Type: application/json",
			Type: "dict_type",
		})
	}
	return decode[T](c.body, c.server.cfg.Dialect)
}

// form checks the form of single fields, which the types do not tell, and collects what is wrong.
type form struct{ checker }

func checkCreateForm(request api.DeploymentCreateRequest) error {
	var f form
	body := []api.LocStep{api.Key("body")}
	f.pattern(request.Name, deploymentName, in(body, "name"))
	f.config(request.SourceConfig, in(body, "source_config"))
	f.secrets(request.Secrets, in(body, "secrets"))
	references, _ := request.SecretReferences.Get()
	f.references(references, in(body, "secret_references"))
	return f.err()
}

func checkPatchForm(request api.DeploymentPatchRequest) error {
	var f form
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
	var f form
	body := []api.LocStep{api.Key("body")}
	if computeID != nil && *computeID == "" {
		f.add(in(body, "compute_id"), "string_too_short", "String should have at least 1 character")
	}
	for i, namespace := range namespacesOf(config) {
		f.pattern(namespace, dnsLabel, in(body, "compute_config", "k8s_namespaces", i))
	}
	return f.err()
}

// checkOAuthProviderForm wants a slug that can stand in a path. The rest is for the flows that use it to find wrong.
func checkOAuthProviderForm(request api.OAuthProviderCreateRequest) error {
	var f form
	f.pattern(request.ProviderID, providerSlug, in([]api.LocStep{api.Key("body")}, "provider_id"))
	return f.err()
}

func (f *form) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	return unprocessable(f.problems...)
}

// in is a deeper place: keys are strings, places in a list are ints.
func in(loc []api.LocStep, deeper ...any) []api.LocStep {
	at := slices.Clone(loc)
	for _, d := range deeper {
		switch step := d.(type) {
		case int:
			at = append(at, api.Index(step))
		case string:
			at = append(at, api.Key(step))
		default:
			panic(fmt.Sprintf("%T is no step of a location", d))
		}
	}
	return at
}

func (f *form) pattern(value string, pattern *regexp.Regexp, loc []api.LocStep) {
	if !pattern.MatchString(value) {
		f.add(loc, "string_pattern_mismatch", "String should match pattern '%s'", pattern)
	}
}

func (f *form) choice(value *string, allowed []string, loc []api.LocStep) {
	if value != nil && !slices.Contains(allowed, *value) {
		f.problems = append(f.problems, notOneOf(loc, allowed, "literal_error"))
	}
}

// secrets become environment variables, whose names can be anything but empty and can't contain an equals sign.
func (f *form) secrets(secrets []api.Secret, loc []api.LocStep) {
	for i, s := range secrets {
		f.variable(s.Name, in(loc, i, "name"))
	}
}

// references name environment variables like secrets, and in Kubernetes both a secret and a key in it.
func (f *form) references(references []api.SecretReference, loc []api.LocStep) {
	for i, r := range references {
		f.variable(r.Name, in(loc, i, "name"))
		f.pattern(r.SecretName, dnsSubdomain, in(loc, i, "secret_name"))
		f.pattern(r.SecretKey, dataKey, in(loc, i, "secret_key"))
	}
}

func (f *form) variable(name string, loc []api.LocStep) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		f.add(loc, "string_pattern_mismatch", "String should match pattern '^[^=]+$'")
	}
}

func (f *form) config(config api.SourceConfigRequest, loc []api.LocStep) {
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
func (f *form) notNegative(spec api.ResourceSpec, loc []api.LocStep) {
	v := reflect.ValueOf(spec)
	for i := range v.NumField() {
		number := reflect.Indirect(v.Field(i))
		if number.CanInt() && number.Int() < 0 || number.CanFloat() && number.Float() < 0 {
			f.add(in(loc, wireField(v.Type().Field(i)).name),
				"greater_than_equal", "Input should be greater than or equal to 0")
		}
	}
}

func (f *form) containers(containers []api.Container, loc []api.LocStep) {
	for i, container := range containers {
		f.pattern(container.Name, dnsLabel, in(loc, i, "name"))
		f.choice(container.ImagePullPolicy, pullPolicies, in(loc, i, "imagePullPolicy"))
		f.choice(container.RestartPolicy, restartPolicies, in(loc, i, "restartPolicy"))
		for j, env := range container.Env {
			f.pattern(env.Name, cIdentifier, in(loc, i, "env", j, "name"))
		}
	}
}

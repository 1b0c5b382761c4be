package api_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// tables lists the fields as in the tables of the service's documentation, in the same order, with their JSON types. A question
// mark marks an optional field, an exclamation mark a field of extended dialects only. They are copied by hand, so that they check the structs independently.
var tables = map[reflect.Type]string{
	reflect.TypeFor[api.Deployment](): `name string, source string, source_config object, source_revision_config object,
		secrets array, id string, created_at string, updated_at string, status string, latest_revision_id string?,
		active_revision_id string?, image_version string?, display_name string?!, secret_references array?!, shareable boolean?!,
		route_through_gateway boolean?!, tenant_id string?!, tracer_session_id string?!, deployment_tier string?!, compute_tier string?!, database_tier string?!,
		agent object?!, url string?!`,
	reflect.TypeFor[api.DeploymentCreateRequest](): `name string, source string, source_config object,
		source_revision_config object, secrets array, secret_references array?!, shareable boolean?!,
		route_through_gateway boolean?!, agent object?!`,
	reflect.TypeFor[api.AgentRef](): `agent_id string, environment string`,
	reflect.TypeFor[api.DeploymentPatchRequest](): `name string?, source string?, source_config object?,
		source_revision_config object?, secrets array?, display_name string?!, secret_references array?!,
		route_through_gateway boolean?!, tracked_repo_ref string?!, deployment_tier string?!, revision_source string?!, tracked_packages array?!`,
	reflect.TypeFor[api.SecretReference](): `name string, secret_name string, secret_key string`,
	reflect.TypeFor[api.Secret]():          `name string, value string`,
	reflect.TypeFor[api.SourceConfig](): `integration_id string?, repo_url string?, deployment_type string?,
		build_on_push boolean?, custom_url string?, resource_spec object?, listener_id string?, listener_config object?,
		install_command string?, build_command string?, template_id string?!, repo_branch string?!`,
	reflect.TypeFor[api.SourceConfigRequest](): `integration_id string?, repo_url string?, deployment_type string?,
		build_on_push boolean?, custom_url string?, resource_spec object?, listener_id string?, listener_config object?,
		install_command string?, build_command string?, template_id string?!`,
	reflect.TypeFor[api.SourceRevisionConfig](): `repo_ref string?, graph_config_path string?, image_uri string?,
		repo_commit_sha string?, source_tarball_path string?!, deepagents_version string?!, tracked_packages array?!`,
	reflect.TypeFor[api.SourceRevisionConfigRequest](): `repo_ref string?, graph_config_path string?, image_uri string?,
		source_tarball_path string?!`,
	reflect.TypeFor[api.ListenerConfig](): `k8s_namespace string?`,
	reflect.TypeFor[api.ResourceSpec](): `min_scale integer?, max_scale integer?, cpu number?, cpu_limit number?,
		memory_mb integer?, memory_limit_mb integer?, queue_min_scale integer?, queue_max_scale integer?,
		queue_cpu number?, queue_cpu_limit number?, queue_memory_mb integer?, queue_memory_limit_mb integer?,
		orchestrator_cpu number?, orchestrator_cpu_limit number?, orchestrator_memory_mb integer?,
		orchestrator_memory_limit_mb integer?, orchestrator_min_scale integer?, orchestrator_max_scale integer?,
		executor_cpu number?, executor_cpu_limit number?, executor_memory_mb integer?,
		executor_memory_limit_mb integer?, cache_memory_mb integer?, cache_cpu number?!, cache_cpu_limit number?!,
		cache_memory_limit_mb integer?!, core_cpu number?!, core_cpu_limit number?!, core_memory_mb integer?!,
		core_memory_limit_mb integer?!, labels object?, annotations object?,
		service_account_name string?, image_pull_secrets array?, volumes array?, volume_mounts array?,
		init_containers array?, sidecars array?, db_cpu number?, db_cpu_limit number?, db_memory_mb integer?,
		db_memory_limit_mb integer?, db_storage_gi integer?, db_max_connections integer?`,
	reflect.TypeFor[api.LocalObjectReference](): `name string`,
	reflect.TypeFor[api.Volume](): `name string, configMap object?, secret object?, emptyDir object?,
		persistentVolumeClaim object?, nfs object?, projected object?, downwardAPI object?, csi object?`,
	reflect.TypeFor[api.VolumeMount](): `name string, mountPath string, subPath string?, mountPropagation string?,
		readOnly boolean?, subPathExpr string?`,
	reflect.TypeFor[api.Container](): `name string, image string, imagePullPolicy string?, command array?, args array?,
		workingDir string?, env array?, envFrom array?, resources object?, volumeMounts array?, securityContext object?,
		restartPolicy string?`,
	reflect.TypeFor[api.EnvVar]():               `name string, value string?, valueFrom object?`,
	reflect.TypeFor[api.ResourceRequirements](): `limits object?, requests object?`,
	reflect.TypeFor[api.Revision](): `id string, created_at string, updated_at string, status string, source string,
		source_revision_config object, status_message string?`,
	reflect.TypeFor[api.Listener](): `id string, created_at string, updated_at string, version string?,
		compute_type string, compute_id string, compute_config object`,
	reflect.TypeFor[api.ListenerComputeConfig](): `k8s_namespaces array?`,
	reflect.TypeFor[api.ListenerCreateRequest](): `version string?, compute_type string, compute_id string,
		compute_config object`,
	reflect.TypeFor[api.ListenerPatchRequest]():         `version string?, compute_config object?`,
	reflect.TypeFor[api.ListenerComputeConfigRequest](): `k8s_namespaces array?`,
	reflect.TypeFor[api.Integration]():                  `id string, installation_id integer, name string`,
	reflect.TypeFor[api.Repository](): `host_integration_id string, id integer, name string, owner string, url string,
		default_branch string`,
	reflect.TypeFor[api.OAuthProviderCreateRequest](): `provider_id string, name string, client_id string,
		client_secret string?, auth_url string, token_url string, uses_pkce boolean?, code_challenge_method string?,
		provider_type string?, token_endpoint_auth_method string?, authorization_params object?,
		allowed_redirect_uris array?`,
	reflect.TypeFor[api.OAuthProviderUpdateRequest](): `name string?, client_id string?, client_secret string?,
		auth_url string?, token_url string?, uses_pkce boolean?, code_challenge_method string?,
		authorization_params object?, allowed_redirect_uris array?`,
	reflect.TypeFor[api.OAuthProviderResponse](): `id string, organization_id string, provider_id string, name string,
		client_id string, auth_url string, token_url string, uses_pkce boolean, code_challenge_method string?,
		provider_type string?, mcp_server_url string?, token_endpoint_auth_method string, authorization_params object,
		is_dynamic_client boolean, allowed_redirect_uris array, default_redirect_uri string?, created_at string,
		updated_at string`,
	reflect.TypeFor[api.DeploymentTierUpdateRequest]():          `deployment_tier string`,
	reflect.TypeFor[api.DeploymentResourceTiersUpdateRequest](): `compute_tier string?, database_tier string?`,
	reflect.TypeFor[api.FreeDeploymentCountResponse]():          `count integer`,
	reflect.TypeFor[api.MCPOAuthProviderCreateRequest]():        `provider_id string, name string, mcp_server_url string`,
	reflect.TypeFor[api.AuthAuthenticateRequest](): `user_id string?, ls_user_id string?, agent_id string?, provider string,
		scopes array, use_agent_builder_public_oauth boolean?, force_new boolean?, token_id string?, is_default boolean?`,
	reflect.TypeFor[api.AuthAuthenticateResponse](): `status string, url string?, auth_id string?, token string?,
		user_id string?, metadata object`,
	reflect.TypeFor[api.AuthWaitResponse]():              `status string, token string?`,
	reflect.TypeFor[api.OAuthFinalizeRequest]():          `code string, state string`,
	reflect.TypeFor[api.OAuthTokenStatusResponse]():      `has_token boolean`,
	reflect.TypeFor[api.OAuthTokenStatusBatchRequest]():  `provider_ids array`,
	reflect.TypeFor[api.OAuthTokenStatusBatchResponse](): `has_token object`,
	reflect.TypeFor[api.OAuthTokenSummary](): `id string, provider_id string, provider_account_label string?, scopes array,
		expires_at string?, is_default boolean, created_at string, updated_at string`,
	reflect.TypeFor[api.OAuthTokenUpdateRequest](): `provider_account_label string?, is_default boolean?`,
	reflect.TypeFor[api.OAuthTokenImportRequest](): `provider_id string, access_token string, refresh_token string?,
		expires_in_seconds integer?, scopes array?, metadata object?, is_default boolean?`,
	reflect.TypeFor[api.OAuthTokenImportResponse](): `token_id string`,
	reflect.TypeFor[api.TokenEventSummary](): `id string, provider_id string, agent_id string?, event_type string,
		reason string?, source string?, provider_account_label string?, scopes array, detail object, acknowledged_at string?,
		created_at string`,
	reflect.TypeFor[api.AgentConnectionResponse](): `id string, agent_id string, oauth_token_id string, provider_id string,
		provider_account_label string?, scopes array, expires_at string?, created_by string, created_at string`,
	reflect.TypeFor[api.AgentConnectionListResponse]():  `data array`,
	reflect.TypeFor[api.CreateAgentConnectionRequest](): `oauth_token_id string`,
	reflect.TypeFor[api.UpsertAgentProviderTokenRequest](): `access_token string, refresh_token string?,
		expires_in_seconds integer?, scopes array?, provider_account_label string?, metadata object?`,
	reflect.TypeFor[api.MessageResponse](): `message string`,
	reflect.TypeFor[api.LogsResponse]():    `logs array, next_offset string?`,
	reflect.TypeFor[api.LogEntry]():        `id string, timestamp string, level string, message string`,
	reflect.TypeFor[api.TracingProject](): `id string, tenant_id string, name string, start_time string,
		end_time string?, description string?, extra object?, reference_dataset_id string?`,
	reflect.TypeFor[api.List[api.Revision]]():  `resources array, offset integer`,
	reflect.TypeFor[api.ErrorDetail]():         `detail string`,
	reflect.TypeFor[api.HTTPValidationError](): `detail array`,
	reflect.TypeFor[api.ValidationError]():     `loc array, msg string, type string`,
}

func TestFieldsAreThoseOfTheTables(t *testing.T) {
	t.Parallel()
	for shape, table := range tables {
		t.Run(shape.Name(), func(t *testing.T) {
			t.Parallel()
			want := strings.Split(strings.Join(strings.Fields(table), " "), ", ")
			var got []string
			for _, field := range reflect.VisibleFields(shape) {
				if field.Tag.Get("json") != "-" {
					got = append(got, describe(t, shape, field))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("fields (-table +struct):\n%s", diff)
			}
		})
	}
}

// describe formats a field as in the tables.
func describe(t *testing.T, shape reflect.Type, field reflect.StructField) string {
	t.Helper()
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	kind, optional := field.Type, options == "omitzero"
	// An absent Optional is omitted only with omitzero; a nil pointer is sent as null.
	if strings.HasPrefix(kind.Name(), "Optional[") {
		if !optional {
			t.Errorf("%s.%s is an Optional without omitzero", shape.Name(), field.Name)
		}
		value, _ := kind.FieldByName("Value")
		kind = value.Type
	}
	if kind.Kind() == reflect.Pointer {
		kind, optional = kind.Elem(), true
	}
	text := name + " " + jsonType(t, kind)
	if optional || name == "k8s_namespaces" { // A nil list is null: the listener reports none.
		text += "?"
	}
	if api.IsExtension(field) {
		text += "!"
	}
	return text
}

func jsonType(t *testing.T, kind reflect.Type) string {
	t.Helper()
	switch kind.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	default:
		t.Fatalf("describe doesn't know the JSON type of %s", kind)
		return ""
	}
}

func TestEnumerations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ got, want []string }{
		"source":          {texts(api.Sources), []string{"git_host", "external_container"}},
		"deployment_type": {texts(api.DeploymentTypes), []string{"dev_free", "dev", "prod"}},
		"deployment status": {
			texts(api.DeploymentStatuses), []string{"AWAITING_DATABASE", "READY", "UNUSED", "AWAITING_DELETE", "UNKNOWN"},
		},
		"revision status": {texts(api.RevisionStatuses), []string{
			"CREATING", "QUEUED", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED",
			"CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED", "SKIPPED", "INTERRUPTED", "UNKNOWN",
		}},
		"deployment tier": {texts(api.DeploymentTiers), []string{
			"SERVERLESS_S", "SERVERLESS_M", "SERVERLESS_L", "DEDICATED_S", "DEDICATED_M", "DEDICATED_L",
		}},
		"compute_type":  {texts(api.ComputeTypes), []string{"k8s"}},
		"provider_type": {texts(api.OAuthProviderTypes), []string{"microsoft", "salesforce", "slack", "x"}},
		"token_endpoint_auth_method": {
			texts(api.TokenEndpointAuthMethods), []string{"none", "client_secret_basic", "client_secret_post"},
		},
		"log type":  {texts(api.LogTypes), []string{"build", "deploy"}},
		"log level": {texts(api.LogLevels), []string{"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}},
		"log order": {texts(api.LogOrders), []string{"asc", "desc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

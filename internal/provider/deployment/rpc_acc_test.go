package deployment_test

import (
	"maps"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// container returns a configuration of a deployment of an image, with additional values in source_config.
func container(plane *providertest.Plane, more map[string]any) map[string]any {
	sourceConfig := map[string]any{
		"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
	}
	maps.Copy(sourceConfig, more)
	config := map[string]any{
		"name": "tf-acc-rpc", "source": "external_container", "source_config": sourceConfig,
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"},
	}
	if plane.Dialect().ProjectsBlockNames {
		config["delete_tracing_project"] = true
	}
	return config
}

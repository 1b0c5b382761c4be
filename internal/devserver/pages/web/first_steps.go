package web

import (
	"regexp"
	"strconv"
)

// firstSteps is what to do with a server that has nothing yet, with its own values.
type firstSteps struct {
	Origin, WorkspaceID, Dialect string
	ListenerID, K8sNamespace     string
	Keyless                      bool
	// Deploy says that deployments come first, not traces.
	Deploy bool
}

// idPattern excludes everything that a shell or a configuration would interpret.
var idPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// dialectPattern and namespacePattern do so for the names of dialects and of Kubernetes namespaces.
var (
	dialectPattern   = regexp.MustCompile(`^[a-z]+$`)
	namespacePattern = regexp.MustCompile(`^[a-z0-9-]+$`)
)

func newFirstSteps(f Frame, deploy bool) firstSteps {
	steps := firstSteps{Origin: origin(f), Keyless: f.Server.Keyless, Deploy: deploy}
	if idPattern.MatchString(f.Server.WorkspaceID) {
		steps.WorkspaceID = f.Server.WorkspaceID
	}
	if dialectPattern.MatchString(f.Server.Dialect) {
		steps.Dialect = f.Server.Dialect
	}
	if idPattern.MatchString(f.Server.ListenerID) && namespacePattern.MatchString(f.Server.K8sNamespace) {
		steps.ListenerID, steps.K8sNamespace = f.Server.ListenerID, f.Server.K8sNamespace
	}
	return steps
}

// Example is a whole configuration for this server, with a deployment. A server that accepts any key needs no variable.
func (s firstSteps) Example() string {
	text := `terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

provider "agentplane" {
  base_url     = ` + strconv.Quote(s.Origin) + "\n"
	if s.Keyless {
		text += "  api_key      = \"any\"\n"
	}
	if s.WorkspaceID != "" {
		text += "  workspace_id = " + strconv.Quote(s.WorkspaceID) + "\n"
	}
	if s.Dialect != "" {
		text += "  dialect      = " + strconv.Quote(s.Dialect) + "\n"
	}
	listener := ""
	if s.ListenerID != "" {
		listener = "\n    listener_id     = " + strconv.Quote(s.ListenerID) + "\n    listener_config = { k8s_namespace = " + strconv.Quote(s.K8sNamespace) + " }\n  "
	}
	return text + `}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"
  source_config = {` + listener + `}
  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}
`
}

// Variables are those of clients of the tracing service. Go has no switch for tracing.
func (s firstSteps) Variables() string {
	return "export LANGSMITH_TRACING=true\nexport LANGSMITH_ENDPOINT=" + s.Origin + "\nexport LANGSMITH_API_KEY=" + s.key() + "\nexport LANGSMITH_PROJECT=default"
}

// Spans are the variables of exporters of OpenTelemetry.
func (s firstSteps) Spans() string {
	return "export OTEL_EXPORTER_OTLP_ENDPOINT=" + s.Origin + "/otel\nexport OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n" +
		"export OTEL_EXPORTER_OTLP_HEADERS=\"x-api-key=" + s.key() + ",Langsmith-Project=default\"\n" +
		"export OTEL_LOGS_EXPORTER=none OTEL_METRICS_EXPORTER=none"
}

func (s firstSteps) key() string {
	if s.Keyless {
		return "any"
	}
	return "$AGENTPLANE_API_KEY"
}

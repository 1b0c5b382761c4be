package web

import (
	"regexp"
	"strconv"
)

// firstSteps is what to do with a server that has nothing yet, with its own values.
type firstSteps struct {
	Origin, WorkspaceID, Dialect string
	Keyless                      bool
	// Deploy says that deployments come first, not traces.
	Deploy bool
}

// idPattern excludes everything that a shell or a configuration would interpret.
var idPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// dialectPattern does so for the names of dialects.
var dialectPattern = regexp.MustCompile(`^[a-z]+$`)

func newFirstSteps(f Frame, deploy bool) firstSteps {
	steps := firstSteps{Origin: origin(f), Keyless: f.Server.Keyless, Deploy: deploy}
	if idPattern.MatchString(f.Server.WorkspaceID) {
		steps.WorkspaceID = f.Server.WorkspaceID
	}
	if dialectPattern.MatchString(f.Server.Dialect) {
		steps.Dialect = f.Server.Dialect
	}
	return steps
}

// Provider is the configuration of the provider for this server.
func (s firstSteps) Provider() string {
	text := "provider \"agentplane\" {\n  base_url     = " + strconv.Quote(s.Origin) + "\n"
	if s.WorkspaceID != "" {
		text += "  workspace_id = " + strconv.Quote(s.WorkspaceID) + "\n"
	}
	if s.Dialect != "" {
		text += "  dialect      = " + strconv.Quote(s.Dialect) + "\n"
	}
	return text + "}"
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

// Key says where the provider's key is from.
func (s firstSteps) Key() string { return "export AGENTPLANE_API_KEY=" + s.ownKey() }

func (s firstSteps) ownKey() string {
	if s.Keyless {
		return "any"
	}
	return "…"
}

func (s firstSteps) key() string {
	if s.Keyless {
		return "any"
	}
	return "$AGENTPLANE_API_KEY"
}

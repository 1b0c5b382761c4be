package tracing

import (
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// infoAnswer tells clients how to send runs. A batch_ingest_config without one of its keys ends the thread of a client
// that sends them.
type infoAnswer struct {
	Version               string            `json:"version"`
	GitSHA                *string           `json:"git_sha"`
	LicenseExpirationTime string            `json:"license_expiration_time"`
	BatchIngestConfig     batchIngestConfig `json:"batch_ingest_config"`
	InstanceFlags         instanceFlags     `json:"instance_flags"`
	CustomerInfo          *struct{}         `json:"customer_info"`
}

type batchIngestConfig struct {
	UseMultipartEndpoint   bool `json:"use_multipart_endpoint"`
	ScaleUpQsizeTrigger    int  `json:"scale_up_qsize_trigger"`
	ScaleUpNthreadsLimit   int  `json:"scale_up_nthreads_limit"`
	ScaleDownNemptyTrigger int  `json:"scale_down_nempty_trigger"`
	SizeLimit              int  `json:"size_limit"`
	SizeLimitBytes         int  `json:"size_limit_bytes"`
}

type instanceFlags struct {
	GzipBodyEnabled        bool `json:"gzip_body_enabled"`
	ZstdCompressionEnabled bool `json:"zstd_compression_enabled"`
	// The first says that runs can be read by the first version of the API, the second that they can't.
	CHQueryEnabled  bool `json:"ch_query_enabled"`
	SDBQueryEnabled bool `json:"sdb_query_enabled"`
}

// infoVersion is the youngest that clients ask for: they warn about parts of the API that came later than it.
const infoVersion = "0.18.0"

// settings are those of the workspace.
func (s *Service) settings(c *rest.Call) (rest.Answer, error) {
	return rest.OK(map[string]any{
		"id": c.WorkspaceID, "display_name": "Workspace " + c.WorkspaceID, "created_at": rest.DateTime(time.Unix(0, 0)), "tenant_handle": nil,
	}), nil
}

// elsewhere are the parts of the API that this service is no place for.
var elsewhere = map[string]string{
	"/datasets": "datasets", "/examples": "datasets", "/commits": "prompts", "/repos": "prompts", "/prompts": "prompts",
	"/annotation-queues": "annotation queues", "/evaluators": "evaluators", "/comparative": "experiments",
}

// outOfScope says of parts of the API that they aren't here, which is not that they are somewhere else on this server.
func outOfScope() []rest.Endpoint {
	var all []rest.Endpoint
	for _, path := range rest.SortedKeys(elsewhere) {
		refuse := func(*rest.Call) (rest.Answer, error) {
			return rest.Answer{}, rest.NewError(http.StatusNotFound, "This service traces runs and keeps no %s: use another one for %[1]s.", elsewhere[path])
		}
		methods := rest.Methods{}
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			methods[method] = refuse
		}
		all = append(all, rest.Endpoint{Path: path, Methods: methods}, rest.Endpoint{Path: path + "/{rest...}", Methods: methods})
	}
	return all
}

// info answers what a service of a version answers that clients don't warn about.
func (s *Service) info(*rest.Call) (rest.Answer, error) {
	return rest.OK(infoAnswer{
		Version: infoVersion, LicenseExpirationTime: "2099-01-01T00:00:00",
		BatchIngestConfig: batchIngestConfig{
			UseMultipartEndpoint: true, ScaleUpQsizeTrigger: 1000, ScaleUpNthreadsLimit: 16, ScaleDownNemptyTrigger: 4,
			SizeLimit: 100, SizeLimitBytes: 20 << 20,
		},
		InstanceFlags: instanceFlags{GzipBodyEnabled: true, ZstdCompressionEnabled: true, CHQueryEnabled: true},
	}), nil
}

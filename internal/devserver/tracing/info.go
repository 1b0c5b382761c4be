package tracing

import (
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// infoAnswer tells clients how to send runs. A missing key in batch_ingest_config makes a client's sending thread crash.
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
	// The first says that version 1 of the API can read runs, the second that it can't.
	CHQueryEnabled  bool `json:"ch_query_enabled"`
	SDBQueryEnabled bool `json:"sdb_query_enabled"`
	// Without it, clients refuse to upload examples.
	DatasetExamplesMultipartEnabled bool `json:"dataset_examples_multipart_enabled"`
}

// infoVersion is the newest version that clients require: they warn about parts of the API that are newer than the server.
const infoVersion = "0.18.0"

// about are the endpoints at which clients learn about the service and the workspace.
func about() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/info", Public: true, Methods: rest.Methods{http.MethodGet: info}},
		{Path: "/settings", Methods: rest.Methods{http.MethodGet: settings}},
	}
}

// settings returns those of the workspace.
func settings(c *rest.Call) (rest.Answer, error) {
	return rest.OK(map[string]any{
		"id": c.WorkspaceID, "display_name": "Workspace " + c.WorkspaceID, "created_at": form.DateTime(time.Unix(0, 0)), "tenant_handle": nil,
	}), nil
}

// info returns the version and capabilities of a service that clients accept without warnings.
func info(*rest.Call) (rest.Answer, error) {
	return rest.OK(infoAnswer{
		Version: infoVersion, LicenseExpirationTime: "2099-01-01T00:00:00",
		BatchIngestConfig: batchIngestConfig{
			UseMultipartEndpoint: true, ScaleUpQsizeTrigger: 1000, ScaleUpNthreadsLimit: 16, ScaleDownNemptyTrigger: 4,
			SizeLimit: 100, SizeLimitBytes: 20 << 20,
		},
		InstanceFlags: instanceFlags{GzipBodyEnabled: true, ZstdCompressionEnabled: true, CHQueryEnabled: true, DatasetExamplesMultipartEnabled: true},
	}), nil
}

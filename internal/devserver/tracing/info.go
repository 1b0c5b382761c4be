package tracing

import (
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

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

// info returns the version and capabilities of a service that clients accept without warnings, and how to send runs. A missing key in
// batch_ingest_config makes a client's sending thread crash.
func info(*rest.Call) (rest.Answer, error) {
	return rest.OK(map[string]any{
		"version": infoVersion, "git_sha": nil, "license_expiration_time": "2099-01-01T00:00:00", "customer_info": nil,
		"batch_ingest_config": map[string]any{
			"use_multipart_endpoint": true, "scale_up_qsize_trigger": 1000, "scale_up_nthreads_limit": 16, "scale_down_nempty_trigger": 4,
			"size_limit": 100, "size_limit_bytes": 20 << 20,
		},
		"instance_flags": map[string]any{
			"gzip_body_enabled": true, "zstd_compression_enabled": true,
			// Version 1 of the API can read runs.
			"ch_query_enabled": true, "sdb_query_enabled": false,
			// Without it, clients refuse to upload examples.
			"dataset_examples_multipart_enabled": true,
		},
	}), nil
}

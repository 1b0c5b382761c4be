package tracing_test

import (
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestInfo checks the six keys that a client reads without checking whether they exist.
func TestInfo(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	want := object{
		"use_multipart_endpoint": true, "scale_up_qsize_trigger": 1000.0, "scale_up_nthreads_limit": 16.0,
		"scale_down_nempty_trigger": 4.0, "size_limit": 100.0, "size_limit_bytes": 20971520.0,
	}
	for _, path := range []string{"/info", "/v1/info", "/api/info", "/api/v1/info", "/api-host/info"} {
		info := devservertest.Get[object](p, path)
		devservertest.Same(t, path, want, info["batch_ingest_config"])
		if version, is := info["version"].(string); !is || version < "0.18.0" {
			t.Errorf("%s: version = %v, want at least 0.18.0, below which clients warn", path, info["version"])
		}
	}
	p.Do(http.MethodPost, "/info", object{}).Want(http.StatusMethodNotAllowed)
}

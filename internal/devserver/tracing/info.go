package tracing

import (
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

// info answers what a service of a version answers that clients don't warn about.
func (s *Service) info(*rest.Call) (rest.Answer, error) {
	return rest.OK(infoAnswer{
		Version: "0.17.0", LicenseExpirationTime: "2099-01-01T00:00:00",
		BatchIngestConfig: batchIngestConfig{
			UseMultipartEndpoint: true, ScaleUpQsizeTrigger: 1000, ScaleUpNthreadsLimit: 16, ScaleDownNemptyTrigger: 4,
			SizeLimit: 100, SizeLimitBytes: 20 << 20,
		},
		InstanceFlags: instanceFlags{GzipBodyEnabled: true, ZstdCompressionEnabled: true, CHQueryEnabled: true},
	}), nil
}

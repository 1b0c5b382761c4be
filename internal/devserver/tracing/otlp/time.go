package otlp

import (
	"encoding/json"
	"math"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// timeOf converts a time of OTLP, in nanoseconds since 1970. Zero is no time, and neither is anything after the year 2262.
func timeOf(nanoseconds uint64) (at time.Time, valid bool) {
	if nanoseconds == 0 || nanoseconds > math.MaxInt64 {
		return time.Time{}, false
	}
	return time.Unix(0, int64(nanoseconds)).UTC(), true
}

func jsonOfTime(at time.Time) json.RawMessage { return rawjson.Quote(timestamp.Format(at)) }

package limits

import (
	"fmt"
	"time"
)

// Bound is a row of the table as people read it.
type Bound struct {
	What, Most string
	// Beyond is what happens to more.
	Beyond string
}

// Table lists all bounds.
func Table() []Bound {
	return []Bound{
		{"body of a request", bytes(Body), "413"},
		{"body of a request that logs runs, decompressed, with attachments", bytes(Upload), "413"},
		{"runs of one request", bytes(Runs), "413"},
		{"posts, patches and feedback in one request, spans, and attachments", fmt.Sprint(Operations), "413"},
		{"bodies of all requests at a time, without attachments", bytes(BodiesTogether), "429"},
		{"window of a body compressed by zstd", bytes(ZstdWindow), "422"},
		{"time for attachments to wait for the rest of their request", duration(AttachmentTime), "deleted"},
		{"time for a body to arrive", duration(BodyTime), "408"},
		{"time for the header of a request to arrive", duration(HeaderTime), "connection closed"},
		{"time between the requests of a connection", duration(IdleTime), "connection closed"},
		{"time for requests to end when the server is stopped", duration(Grace), "connection closed"},
		{"items on a page of a list", fmt.Sprint(Page), "422; of runs, fewer are answered"},
		{"items on a page of logs, model prices and the second version", fmt.Sprint(LongPage), "422"},
		{"values that are suggested for a filter", fmt.Sprint(Facets), "left out"},
		{"comments that statistics of feedback quote", fmt.Sprint(Comments), "left out"},
		{"characters of a preview", fmt.Sprint(Preview), "left out"},
		{"rejected spans that an answer names", fmt.Sprint(RejectionReasons), "counted"},
		{"time to answer a query", duration(QueryTime), "400"},
		{"length of a filter", bytes(FilterBytes), "400"},
		{"nesting of a filter", fmt.Sprint(FilterDepth), "400"},
		{"conditions and values of a filter", fmt.Sprint(FilterSize), "400"},
		{"texts that a filter searches for", fmt.Sprint(FilterSearches), "400"},
		{"IDs in a list of a query", fmt.Sprint(ListedIDs), "422"},
		{"deployments that one request deletes", fmt.Sprint(Deletions), "422"},
		{"runs from the root of a trace down to a run", fmt.Sprint(TraceDepth), "422"},
		{"nesting of what is logged", fmt.Sprint(PayloadDepth), "kept as a text"},
		{"nesting of what is logged, kept as a text", fmt.Sprint(RefusedDepth), "422"},
		{"nesting of metadata that filters find by key", fmt.Sprint(MetadataDepth), "not found by key"},
		{"what the spans of a program have in common", bytes(SharedBytes), "left out; of a project name, rejected"},
		{"length of a match_pattern", fmt.Sprint(PatternBytes, " bytes"), "422"},
		{"tokens or US dollars of a run", fmt.Sprint(int64(Amount)), "422"},
		{"life of an imported token", fmt.Sprint(TokenSeconds, " s"), "422"},
		{"steps of a series or a chart", fmt.Sprint(Buckets), "422"},
		{"days, hours or minutes of a step of a dashboard", fmt.Sprint(Stride), "422"},
		{"pages that the tabs of a browser follow live", fmt.Sprint(LiveParts), "404"},
		{"armed faults", fmt.Sprint(Faults), "400"},
		{"texts of a fault", bytes(FaultBytes), "400"},
		{"latency of a fault", duration(FaultLatency), "400"},
		{"time for a user to log in", duration(LoginTime), "400"},
		{"time for the server of an OAuth provider to answer", duration(OutboundTime), "400"},
		{"redirects of the server of an OAuth provider", fmt.Sprint(OutboundRedirects), "400"},
		{"answer of the server of an OAuth provider", bytes(OutboundBytes), "400"},
		{"time that one request waits for a login", duration(AuthWait), "answered"},
		{"logins that a user has begun", fmt.Sprint(OAuthFlows), "the oldest are dropped"},
		{"token events of a user", fmt.Sprint(OAuthTokenEvents), "the oldest are dropped"},
		{"requests in the log", fmt.Sprint(LoggedRequests), "the oldest are dropped"},
		{"body of a request in the log", bytes(LoggedBody), "left out"},
	}
}

// bytes is a number of bytes in its largest whole unit.
func bytes(n int64) string {
	unit := 0
	for n%1024 == 0 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprint(n, " ", []string{"bytes", "KiB", "MiB", "GiB"}[unit])
}

// duration is a whole number of minutes or seconds.
func duration(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprint(int64(d/time.Minute), " min")
	}
	return fmt.Sprint(int64(d/time.Second), " s")
}

package limits

import (
	"fmt"
	"time"
)

// Bound is a row of the table of limits.
type Bound struct {
	What, Most string
	// Beyond is what happens beyond the limit.
	Beyond string
}

// Table lists all limits.
func Table() []Bound {
	return []Bound{
		{"body of a request", bytes(Body), "413"},
		{"JSON values, members and elements, in it", fmt.Sprint(Values), "413"},
		{"archive to build a deployment from", bytes(Tarball), "413"},
		{"time to use the URL for its upload", duration(TarballTime), "403"},
		{"body of a request that logs runs, decompressed, with attachments", bytes(Upload), "413"},
		{"runs in one request", bytes(Runs), "413"},
		{"posts, patches and feedback in one request", fmt.Sprint(Operations), "413"},
		{"spans in one request", fmt.Sprint(Parts), "413"},
		{"attachments in one request", fmt.Sprint(Attachments), "413"},
		{"JSON values of a run, or of a field in a part of its own; attributes of a span", fmt.Sprint(RunValues), "413"},
		{"of these, members of objects", fmt.Sprint(RunMembers), "413"},
		{"fields of a run", fmt.Sprint(RunFields), "413"},
		{"parts of a multipart request", fmt.Sprint(FormParts), "413"},
		{
			"bodies of all concurrent requests, and of responses over 64 KiB, without attachments; half of it for a workspace",
			bytes(BodiesTogether), "503",
		},
		{"window of a body compressed with zstd", bytes(ZstdWindow), "422"},
		{"time for attachments to wait for the rest of their request", duration(AttachmentTime), "deleted"},
		{"time for a body to arrive", duration(BodyTime), "408"},
		{"problems listed in an answer", fmt.Sprint(Problems), "counted"},
		{"texts of these problems", bytes(ProblemsBytes), "counted"},
		{"text of a problem, or of another refusal", bytes(ProblemBytes), "cut"},
		{"name in the location of a problem", bytes(ProblemKey), "cut"},
		{"time for the header of a request to arrive", duration(HeaderTime), "connection closed"},
		{"header of a request, with its path and query", bytes(Header), "431"},
		{"request ID of a trusted proxy", fmt.Sprint(RequestID, " bytes"), "replaced"},
		{"time between requests on a connection", duration(IdleTime), "connection closed"},
		{"time for a client to read 64 KiB of a response", duration(WriteTime), "connection closed"},
		{"time for requests to finish when the server stops", duration(Grace), "connection closed"},
		{"time between attempts to write after the disk was full", duration(FullTime), "/readyz answers 503"},
		{"time for the data to answer a readiness probe", duration(ReadyTime), "503"},
		{"items on a page of a list", fmt.Sprint(Page), "422; for runs, the page is shortened"},
		{"items on a page of logs, model prices and version 2 lists", fmt.Sprint(LongPage), "422"},
		{"values suggested for a filter", fmt.Sprint(Facets), "left out"},
		{"comments quoted in feedback statistics", fmt.Sprint(Comments), "left out"},
		{"characters of a preview", fmt.Sprint(Preview), "left out"},
		{"rejected spans named in a response", fmt.Sprint(RejectionReasons), "counted"},
		{"time to answer a query", duration(QueryTime), "400"},
		{"runs whose percentiles are always exact", fmt.Sprint(ExactPercentiles), "off by at most a hundredth"},
		{"names or models in a quarter hour or day of a project with figures that are rolled up", fmt.Sprint(RolledValues), "computed from the runs"},
		{"length of a filter", bytes(FilterBytes), "400"},
		{"nesting of a filter", fmt.Sprint(FilterDepth), "400"},
		{"conditions and values of a filter", fmt.Sprint(FilterSize), "400"},
		{"texts searched for by a filter", fmt.Sprint(FilterSearches), "400"},
		{"IDs in one list of a query", fmt.Sprint(ListedIDs), "422"},
		{"time that POST /dev/clock advances the clock by, in all", duration(ClockAhead), "400"},
		{"deployments deleted by one request", fmt.Sprint(Deletions), "422"},
		{"depth of a run in its trace", fmt.Sprint(TraceDepth), "422"},
		{"nesting of logged JSON", fmt.Sprint(PayloadDepth), "422"},
		{"nesting of metadata that filters can find by key", fmt.Sprint(MetadataDepth), "not found by key"},
		{"length of a key of metadata, with those above it, that filters can find", fmt.Sprint(MetadataKey, " bytes"), "not found by key"},
		{"tags of a run, or metadata entries, that filters and groups find", fmt.Sprint(Labels), "not found"},
		{"resource attributes that spans share", bytes(SharedBytes), "left out"},
		{"name of a tracing project", bytes(ProjectName), "422; spans are rejected"},
		{"length of a match_pattern", fmt.Sprint(PatternBytes, " bytes"), "422"},
		{"steps of the compiled match_patterns of a workspace", fmt.Sprint(PatternSteps), "422"},
		{"model prices of a workspace", fmt.Sprint(ModelPrices), "422"},
		{"name of a model that has a price", fmt.Sprint(ModelName, " bytes"), "no price"},
		{"tokens or cost in US dollars of a run", fmt.Sprint(int64(Amount)), "422"},
		{"days for which a project can ask to keep its traces", fmt.Sprint(TTLDays), "422"},
		{"lifetime of an imported token", fmt.Sprint(TokenSeconds, " s"), "422"},
		{"steps in a series or chart", fmt.Sprint(Buckets), "422"},
		{"days, hours or minutes in a step of a dashboard", fmt.Sprint(Stride), "422"},
		{"armed faults", fmt.Sprint(Faults), "400"},
		{"texts of a fault", bytes(FaultBytes), "400"},
		{"latency of a fault", duration(FaultLatency), "400"},
		{"time for a user to log in", duration(LoginTime), "400"},
		{"time to use a link to install an app of the Git host", duration(InstallationTime), "404"},
		{"query with which the toy login is opened", bytes(LoginQuery), "414"},
		{"response time of an OAuth provider's server", duration(OutboundTime), "400"},
		{"redirects by an OAuth provider's server", fmt.Sprint(OutboundRedirects), "400"},
		{"response of an OAuth provider's server", bytes(OutboundBytes), "400"},
		{"time one request waits for a login", duration(AuthWait), "answered"},
		{"waiting requests that are answered as soon as the user has logged in; half of them for a workspace", fmt.Sprint(AuthWaits), "wait for their turn"},
		{"waiting requests, with those that wait for their turn", fmt.Sprint(AuthWaitsQueued), "answered at the end"},
		{"feedback tokens created by one request", fmt.Sprint(FeedbackTokens), "422"},
		{"lifetime of a feedback token", duration(FeedbackTokenTime), "422"},
		{"uses of a feedback token", fmt.Sprint(FeedbackTokenUses), "403"},
		{"feedback given with a token", bytes(TokenFeedback), "413"},
		{"pending logins of a user", fmt.Sprint(OAuthFlows), "the oldest are dropped"},
		{"token events of a user", fmt.Sprint(OAuthTokenEvents), "the oldest are dropped"},
		{"saved views of a project and a user", fmt.Sprint(SavedViews), "400"},
		{"name of a saved view", bytes(ViewName), "400"},
		{"search of a saved view", bytes(ViewQuery), "400"},
		{"requests in the log", fmt.Sprint(LoggedRequests), "the oldest are dropped"},
		{"path of a request in the log, and its query", bytes(LoggedLine), "cut"},
		{"body of a request in the log, and of its response", bytes(LoggedBody), "left out"},
		{"unknown parameters of a request in the log", fmt.Sprint(LoggedNames), "left out"},
		{"length of their names", fmt.Sprint(LoggedName, " bytes"), "cut"},
	}
}

// bytes formats a number of bytes in its largest whole unit.
func bytes(n int64) string {
	unit := 0
	for n%1024 == 0 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprint(n, " ", []string{"bytes", "KiB", "MiB", "GiB"}[unit])
}

// duration formats a duration in whole days, minutes or seconds.
func duration(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return fmt.Sprint(int64(d/(24*time.Hour)), " days")
	}
	if d%time.Minute == 0 {
		return fmt.Sprint(int64(d/time.Minute), " min")
	}
	return fmt.Sprint(int64(d/time.Second), " s")
}

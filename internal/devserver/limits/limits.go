package limits

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Bodies.
const (
	// Body is the maximum size in bytes of a request to the control plane or of a query: 413.
	Body = api.MaxBody
	// Values is the maximum number of JSON values, members and elements, in such a body: 413.
	Values = 50_000
	// Tarball is the maximum size in bytes of an archive to build a deployment from: 413. Its URL is valid for TarballTime: 403.
	Tarball     = 200 << 20
	TarballTime = time.Hour
	// Upload is the maximum size in bytes of a request that logs runs, after decompression, with attachments: 413.
	Upload = 1 << 30
	// Runs is the maximum size in bytes of the runs in a request: 413. The largest runs are sent alone and may far exceed
	// what clients are told to send at once.
	Runs = 256 << 20
	// Operations is the maximum number of posts, patches and feedback in a request: 413. Clients are told to send a hundred at once, as by the
	// service. Those of a request with feedback are stored in one transaction, for which other writers wait: about 100 ms for this many.
	Operations = 1000
	// RunValues is the maximum number of JSON values in a run, or in a field of one that is sent in a part of its own, and of attributes and
	// their values in a span: 413.
	RunValues = 1_000_000
	// RunMembers is the maximum number of those values that are members of objects: 413.
	RunMembers = 150_000
	// RunFields is the maximum number of fields of a run: 413.
	RunFields = 100
	// FormParts is the maximum number of parts of a multipart request: 413.
	FormParts = 10_000
	// Attachments is the maximum number of attachments in a request: 413. Each is stored in a transaction of its own.
	Attachments = 1000
	// Parts is the maximum number of spans in a request: 413. Collectors send 8,192 spans at once by default.
	Parts = 10_000
	// BodiesTogether is the maximum total size in bytes of the bodies of all requests in progress and of large responses, without
	// attachments: 503. A workspace takes at most half of it.
	BodiesTogether = 512 << 20
	// ZstdWindow is the maximum window in bytes of a zstd-compressed body: 422.
	ZstdWindow = 32 << 20
	// AttachmentTime is how long an attachment may wait for the rest of its request. Then it is deleted.
	AttachmentTime = time.Hour
	// BodyTime is how long a body may take to arrive: 408.
	BodyTime = 5 * time.Minute
)

// What an answer says about a refused request.
const (
	// Problems is the maximum number of problems that an answer lists; one more element of the list says how many others there are.
	Problems = 100
	// ProblemsBytes is the total length in bytes of their texts from which the others are only counted.
	ProblemsBytes = 64 << 10
	// ProblemBytes is the maximum length in bytes of the text of a problem, and of any other refusal.
	ProblemBytes = 4 << 10
	// ProblemKey is the maximum length in bytes of a name in the location of a problem.
	ProblemKey = 256
)

// Connections.
const (
	// HeaderTime is how long the header of a request may take to arrive.
	HeaderTime = 10 * time.Second
	// Header is the maximum size in bytes of the header of a request with its path and query: 431. It is read before a key is known.
	Header = 64 << 10
	// RequestID is the maximum size in bytes of a request ID that a proxy may choose.
	RequestID = 128
	// IdleTime is how long a connection may wait for its next request.
	IdleTime = 2 * time.Minute
	// WriteTime is how long a client may take to read 64 KiB of a response.
	WriteTime = time.Minute
	// Grace is how long requests may take to finish after the server was told to stop.
	Grace = 5 * time.Second
	// FullTime is how often a server tries to write after the disk was full.
	FullTime = 5 * time.Second
	// ReadyTime is how long the database may take to answer a readiness probe: 503.
	ReadyTime = 3 * time.Second
)

// Page sizes: 422.
const (
	// Page is the maximum number of items on a page of a list. Run queries that ask for more get a page of this size.
	Page = 100
	// LongPage is Page for logs, model prices and queries of API version 2, which is documented to allow more.
	LongPage = 1000
)

// Limits on the contents of answers; the excess is left out.
const (
	// Facets is the maximum number of values suggested for a filter.
	Facets = 10
	// Comments is the maximum number of comments quoted in feedback statistics.
	Comments = 10
	// Preview is the maximum number of characters in a preview of inputs or outputs.
	Preview = 300
	// RejectionReasons is the maximum number of rejected spans named in a response.
	RejectionReasons = 5
)

// QueryTime is the maximum duration of a query: 400.
const QueryTime = 30 * time.Second

// ExactPercentiles is the maximum number of runs whose percentiles are always exact. Those of more runs may be estimated, with an error of at
// most a hundredth.
const ExactPercentiles = 10_000

// RolledValues is the maximum number of names and models in a project and a quarter of an hour, or a day, whose figures are rolled up. If
// there are more, figures by name or by model are computed from the runs.
const RolledValues = 100

// Filters of runs: 400.
const (
	// FilterBytes is the maximum length of a filter.
	FilterBytes = 256 << 10
	// FilterDepth is the maximum nesting of its conditions.
	FilterDepth = 50
	// FilterSize is the maximum number of its conditions and values: the size of a database query is limited, too.
	FilterSize = 2000
	// FilterSearches is the maximum number of its search texts, for which all contents of a run may have to be read.
	FilterSearches = 20
)

// Fields: 422.
const (
	// ListedIDs is the maximum number of IDs in one list of a query: the size of a database query is limited, too.
	ListedIDs = 1000
	// ClockAhead is what a server's clock can be advanced by in all: ten years.
	ClockAhead = 10 * 365 * 24 * time.Hour
	// Deletions is the maximum number of deployments that one request may delete.
	Deletions = 100
	// TraceDepth is the maximum number of runs from the root of a trace down to a run, itself included: the dotted order of
	// each contains all of them.
	TraceDepth = 500
	// PayloadDepth is the maximum nesting of the JSON of runs. Answers nest it one level deeper, and encoding/json reads 10,000 levels.
	PayloadDepth = 9_900
	// MetadataDepth is the maximum nesting of a metadata entry that filters can find by its key.
	MetadataDepth = 8
	// MetadataKey is the maximum length in bytes of the path of such an entry. Each entry below a key repeats it.
	MetadataKey = 1000
	// Labels is the maximum number of tags of a run, and of its metadata entries, that filters and groups find. The run itself has all.
	Labels = 1000
	// SharedBytes is the maximum size in bytes of the resource attributes that spans share: each run gets a copy.
	SharedBytes = 16 << 10
	// ProjectName is the maximum length in bytes of the name of a tracing project: 422. Answers about its runs repeat it.
	ProjectName = 16 << 10
	// PatternBytes is the maximum length in bytes of a model price's match_pattern.
	PatternBytes = 1000
	// PatternSteps is the maximum number of steps of a workspace's match_patterns when they are compiled: matching a model's name takes
	// time in proportion to it.
	PatternSteps = 50_000
	// ModelPrices is the maximum number of model prices of a workspace.
	ModelPrices = 1000
	// ModelName is the maximum length in bytes of the name of a model that has a price.
	ModelName = usage.LongestMatch
	// Amount is the maximum number of tokens of a run, and of its cost in US dollars: it keeps sums and quotients within
	// the numbers that every client can read.
	Amount = 1_000_000_000_000
	// TTLDays is the maximum number of days for which a project can ask to keep its traces: a hundred years.
	TTLDays = 100 * 365
	// TokenSeconds is the maximum lifetime of an imported token: a hundred years.
	TokenSeconds = 100 * 365 * 24 * 60 * 60
	// Buckets is the maximum number of steps in a series or chart.
	Buckets = 1000
	// Stride is the maximum number of days, hours or minutes in a step of a dashboard: a year in minutes.
	Stride = 366 * 24 * 60
	// Faults is the maximum number of armed faults: 400.
	Faults = 1000
	// FaultBytes is the maximum total length of a fault's texts: 400.
	FaultBytes = 64 << 10
	// FaultLatency is the maximum delay that a fault adds to a request.
	FaultLatency = time.Minute
)

// Logins, and the servers that OAuth providers refer to.
const (
	// LoginTime is how long a user may take to log in: 400.
	LoginTime = 10 * time.Minute
	// LoginQuery is the maximum length in bytes of the query with which the toy login is opened: 414.
	LoginQuery = 8 << 10
	// InstallationTime is how long a link to install an app of the git host, and its session, are valid: 404.
	InstallationTime = time.Hour
	// OutboundTime is how long another server may take to respond: 400.
	OutboundTime = 15 * time.Second
	// OutboundRedirects is the maximum number of redirects it may send: 400.
	OutboundRedirects = 3
	// OutboundBytes is the maximum size of its response: 400.
	OutboundBytes = 256 << 10
)

// AuthWait is the longest that one request waits for a user to log in; then it is answered.
const AuthWait = time.Minute

// AuthWaits is the maximum number of requests that wait for users to log in: 503. A workspace has at most half of them.
const AuthWaits = 200

// Feedback that is given with a token, without an API key.
const (
	// FeedbackTokens is the maximum number of tokens that one request may create: 422.
	FeedbackTokens = 100
	// FeedbackTokenTime is the maximum lifetime of one: 422.
	FeedbackTokenTime = 365 * 24 * time.Hour
	// FeedbackTokenUses is how often one can be used: 403.
	FeedbackTokenUses = 1000
	// TokenFeedback is the maximum size in bytes of feedback that is given with one: 413.
	TokenFeedback = 64 << 10
)

// What is kept for each user; the oldest beyond that are dropped.
const (
	// OAuthFlows is the maximum number of pending logins of a user.
	OAuthFlows = 100
	// OAuthTokenEvents is the maximum number of token events.
	OAuthTokenEvents = 1000
)

// What is kept of requests; the rest is dropped.
const (
	// SavedViews is the maximum number of views of a project that a user can save, ViewName the maximum length in bytes of a name, and
	// ViewQuery that of a search: 400.
	SavedViews = 100
	ViewName   = 100
	ViewQuery  = 4 << 10
	// LoggedRequests is the maximum number of requests in the log.
	LoggedRequests = 2000
	// LoggedLine is the maximum length in bytes of a logged path, and of its query.
	LoggedLine = 1 << 10
	// LoggedBody is the maximum size in bytes of the logged body of a request, and of a response.
	LoggedBody = 64 << 10
	// LoggedNames is the maximum number of unknown parameters of a request that are named in the log.
	LoggedNames = 20
	// LoggedName is the maximum length in bytes of each.
	LoggedName = 64
)

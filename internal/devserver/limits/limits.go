package limits

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Table says what each limit is about, and what happens beyond it. Sizes and lengths are in bytes.

// Bodies.
const (
	Body        = api.MaxBody
	Values      = 50_000
	Tarball     = 200 << 20
	TarballTime = time.Hour
	Upload      = 1 << 30
	// The largest runs are sent alone and may far exceed what clients are told to send at once.
	Runs = 256 << 20
	// Clients are told to send a hundred at once, as by the service. Those of a request with feedback are stored in one transaction, for which
	// other writers wait: about 100 ms for this many.
	Operations = 1000
	RunValues  = 1_000_000
	RunMembers = 150_000
	RunFields  = 100
	FormParts  = 10_000
	// Each attachment is stored in a transaction of its own.
	Attachments = 1000
	// Collectors send 8,192 spans at once by default.
	Parts          = 10_000
	BodiesTogether = 512 << 20
	ZstdWindow     = 32 << 20
	AttachmentTime = time.Hour
	BodyTime       = 5 * time.Minute
)

// What an answer says about a refused request.
const (
	Problems      = 100
	ProblemsBytes = 64 << 10
	ProblemBytes  = 4 << 10
	ProblemKey    = 256
)

// Connections. The header of a request is read before a key is known.
const (
	HeaderTime = 10 * time.Second
	Header     = 64 << 10
	RequestID  = 128
	IdleTime   = 2 * time.Minute
	WriteTime  = time.Minute
	Grace      = 5 * time.Second
	FullTime   = 5 * time.Second
	ReadyTime  = 3 * time.Second
)

// Page sizes. LongPage is for lists of which the service documents a larger page.
const (
	Page     = 100
	LongPage = 1000
)

// Limits on the contents of answers.
const (
	Facets           = 10
	Comments         = 10
	Preview          = 300
	RejectionReasons = 5
)

// QueryTime is the maximum duration of a query.
const QueryTime = 30 * time.Second

// ExactPercentiles is the maximum number of runs whose percentiles are always exact.
const ExactPercentiles = 10_000

// RolledValues is the maximum number of names and models whose figures are rolled up.
const RolledValues = 100

// Filters of runs. The size of a database query is limited, too, and for each text, all contents of a run may have to be read.
const (
	FilterBytes    = 256 << 10
	FilterDepth    = 50
	FilterSize     = 2000
	FilterSearches = 20
)

// Fields.
const (
	ListedIDs  = 1000 // The size of a database query is limited, too.
	ClockAhead = 10 * 365 * 24 * time.Hour
	Deletions  = 100
	// The dotted order of a run contains all runs from the root of its trace down to it.
	TraceDepth = 500
	// Answers nest the JSON of runs one level deeper, and encoding/json reads 10,000 levels.
	PayloadDepth  = 9_900
	MetadataDepth = 8
	MetadataKey   = 1000 // Each entry below a key repeats it.
	Labels        = 1000
	SharedBytes   = 16 << 10 // Each run gets a copy.
	ProjectName   = 16 << 10 // Answers about its runs repeat it.
	PatternBytes  = 1000
	PatternSteps  = 50_000 // Matching a model's name takes time in proportion to it.
	ModelPrices   = 1000
	ModelName     = usage.LongestMatch
	// Amount keeps sums and quotients within the numbers that every client can read.
	Amount       = 1_000_000_000_000
	TTLDays      = 100 * 365
	TokenSeconds = 100 * 365 * 24 * 60 * 60
	Buckets      = 1000
	Stride       = 366 * 24 * 60 // A year in minutes.
	Faults       = 1000
	FaultBytes   = 64 << 10
	FaultLatency = time.Minute
)

// Logins, and the servers that OAuth providers refer to.
const (
	LoginTime         = 10 * time.Minute
	LoginQuery        = 8 << 10
	InstallationTime  = time.Hour
	OutboundTime      = 15 * time.Second
	OutboundRedirects = 3
	OutboundBytes     = 256 << 10
	AuthWait          = time.Minute
	AuthWaits         = 200
	AuthWaitsQueued   = 4000
)

// Feedback that is given with a token, without an API key.
const (
	FeedbackTokens    = 100
	FeedbackTokenTime = 365 * 24 * time.Hour
	FeedbackTokenUses = 1000
	TokenFeedback     = 64 << 10
)

// What is kept for each user.
const (
	OAuthFlows       = 100
	OAuthTokenEvents = 1000
	SavedViews       = 100
	ViewName         = 100
	ViewQuery        = 4 << 10
)

// What is kept of requests.
const (
	LoggedRequests = 2000
	LoggedLine     = 1 << 10
	LoggedBody     = 64 << 10
	LoggedNames    = 20
	LoggedName     = 64
)

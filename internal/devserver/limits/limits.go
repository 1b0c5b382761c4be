package limits

import "time"

// Bodies.
const (
	// Body is how many bytes a request to the control plane or a query may have: 413.
	Body = 10 << 20
	// Upload is how many bytes a request that logs runs may have after decompression, attachments included: 413.
	Upload = 1 << 30
	// Runs is how many bytes the runs of a request may have: 413. The largest come alone, and may be far larger than what
	// clients are told to send at once.
	Runs = 256 << 20
	// Operations is how many posts, patches and feedback a request may have, how many spans, and how many attachments: 413. Clients
	// are told to send a hundred at once.
	Operations = 10_000
	// BodiesTogether is how many bytes the bodies of all requests may have that are being answered, attachments apart: 429.
	BodiesTogether = 512 << 20
	// ZstdWindow is how many bytes a body compressed by zstd may make the server remember: 422.
	ZstdWindow = 32 << 20
	// AttachmentTime is how long an attachment may wait for the rest of its request. It is deleted then.
	AttachmentTime = time.Hour
	// BodyTime is how long a body may take to arrive: 408.
	BodyTime = 5 * time.Minute
)

// Connections.
const (
	// HeaderTime is how long the header of a request may take to arrive.
	HeaderTime = 10 * time.Second
	// IdleTime is how long a connection may wait for its next request.
	IdleTime = 2 * time.Minute
	// Grace is how long requests may take to end after the server was told to stop.
	Grace = 5 * time.Second
)

// Page sizes: 422.
const (
	// Page is how many items a page of a list may have. Of runs, a query that asks for more gets a page of so many.
	Page = 100
	// LongPage is Page for logs, model prices and queries of the second version, whose documents allow more.
	LongPage = 1000
)

// What answers have at most; more is left out.
const (
	// Facets is how many values are suggested for a filter.
	Facets = 10
	// Comments is how many comments statistics of feedback quote.
	Comments = 10
	// Preview is how many characters of inputs and outputs are previewed.
	Preview = 300
	// RejectionReasons is how many spans of a request are named that were rejected.
	RejectionReasons = 5
)

// QueryTime is how long it may take to find an answer: 400.
const QueryTime = 30 * time.Second

// Filters of runs: 400.
const (
	// FilterBytes is how long a filter may be.
	FilterBytes = 256 << 10
	// FilterDepth is how deep its conditions may be nested.
	FilterDepth = 50
	// FilterSize is how many conditions and values it may have: a question to the database can't have any number.
	FilterSize = 2000
	// FilterSearches is how many texts it may look for, each of which means to read all that was said of a run.
	FilterSearches = 20
)

// Fields: 422.
const (
	// ListedIDs is how many ids a list of a query may have: a question to the database can't have any number.
	ListedIDs = 1000
	// Deletions is how many deployments one request may delete.
	Deletions = 100
	// TraceDepth is how many runs there may be from the root of a trace down to a run, itself included: the place of each says
	// all of them.
	TraceDepth = 500
	// PayloadDepth is how deep the JSON of runs may be nested for it to be read; what is deeper is kept as a text. Answers wrap it
	// once more, and encoding/json reads 10,000.
	PayloadDepth = 9_900
	// RefusedDepth is how deep it may be nested at all.
	RefusedDepth = 1_000_000
	// MetadataDepth is how deep an entry of the metadata may be nested for filters to find it by its key.
	MetadataDepth = 8
	// SharedBytes is how many bytes the spans of a program may have in common, because each run has a copy of it: the name of the
	// project, and what is known of the program.
	SharedBytes = 16 << 10
	// PatternBytes is how long the match_pattern of a model price may be.
	PatternBytes = 1000
	// Amount is the largest number of tokens of a run, and of US dollars that it costs: sums and shares of such numbers are numbers
	// that every client can read.
	Amount = 1_000_000_000_000
	// TokenSeconds is the largest life of a token that is imported: a hundred years.
	TokenSeconds = 100 * 365 * 24 * 60 * 60
	// Buckets is how many steps a series or a chart may have.
	Buckets = 1000
	// Stride is how many days, hours or minutes a step of a dashboard may have: a year in minutes.
	Stride = 366 * 24 * 60
	// LiveParts is how many parts of pages one connection of a browser follows.
	LiveParts = 100
	// Faults is how many faults may be armed: 400.
	Faults = 1000
	// FaultBytes is how long the texts of a fault may be together: 400.
	FaultBytes = 64 << 10
	// FaultLatency is how long a fault may hold up a request.
	FaultLatency = time.Minute
)

// Logins, and the servers that OAuth providers name.
const (
	// LoginTime is how long a user may take to log in: 400.
	LoginTime = 10 * time.Minute
	// OutboundTime is how long another server may take to answer: 400.
	OutboundTime = 15 * time.Second
	// OutboundRedirects is how many redirects it may send: 400.
	OutboundRedirects = 3
	// OutboundBytes is how large its answer may be: 400.
	OutboundBytes = 256 << 10
)

// AuthWait is the longest time for which one request waits for a user to log in: then it is answered.
const AuthWait = time.Minute

// What is kept for each user; the oldest of more is forgotten.
const (
	// OAuthFlows is how many logins a user may have begun.
	OAuthFlows = 100
	// OAuthTokenEvents is how many events of tokens are kept.
	OAuthTokenEvents = 1000
)

// What is kept of requests; more is forgotten.
const (
	// LoggedRequests is how many requests are in the log.
	LoggedRequests = 2000
	// LoggedBody is how many bytes of a body are in the log.
	LoggedBody = 64 << 10
)

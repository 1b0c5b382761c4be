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
	// PatternBytes is how long the match_pattern of a model price may be.
	PatternBytes = 1000
	// Amount is the largest number of tokens of a run, and of US dollars that it costs: sums and shares of such numbers are numbers
	// that every client can read.
	Amount = 1_000_000_000_000
	// TokenSeconds is the largest life of a token that is imported: a hundred years.
	TokenSeconds = 100 * 365 * 24 * 60 * 60
	// Buckets is how many steps a series or a chart may have.
	Buckets = 1000
	// LiveDeployments is how many deployments one connection of a browser follows.
	LiveDeployments = 100
	// FaultLatency is how long a fault may hold up a request.
	FaultLatency = time.Minute
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

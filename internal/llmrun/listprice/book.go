package listprice

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

//go:embed prices.json
var bundled []byte

// Bundled returns the list prices that are part of this build. They are decoded on first use.
var Bundled = sync.OnceValue(func() *Book {
	book, err := read(bundled)
	if err != nil {
		panic(err) // The file is part of the build, and a test reads it.
	}
	return book
})

// Book is a list of prices of one date.
type Book struct {
	// Source and Version are the package from which the list was made, and Date is when that was published.
	Source, Version string
	Date            time.Time
	// license is what has to accompany copies of the list.
	license string

	providers []*provider

	mu    sync.Mutex
	found map[call]found

	listing sync.Once
	entries []usage.Price
}

// call is what identifies a model in a run.
type call struct{ provider, name string }

// maxFound limits how many names are remembered: clients may make up any number of them.
const maxFound = 10_000

func read(data []byte) (*Book, error) {
	var file struct {
		Source, Version, Date, License string
		Providers                      []*provider
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("list prices: %w", err)
	}
	date, err := time.Parse(time.DateOnly, file.Date)
	if err != nil {
		return nil, fmt.Errorf("list prices: %w", err)
	}
	for _, p := range file.Providers {
		if err := p.prepare(file.Providers); err != nil {
			return nil, fmt.Errorf("list prices of %s: %w", p.ID, err)
		}
	}
	return &Book{
		Source: file.Source, Version: file.Version, Date: date, license: file.License, providers: file.Providers, found: map[call]found{},
	}, nil
}

// Find implements usage.Defaults. If the start of the call is zero, the prices at the date of the list apply.
func (b *Book) Find(provider, name string, start time.Time, inputTokens int64) *usage.Price {
	m := b.model(provider, name)
	if m.model == nil {
		return nil
	}
	if start.IsZero() {
		start = b.Date
	}
	return m.marked(m.priceOf(start.UTC(), inputTokens))
}

// Prices returns the prices of a model with their start times and thresholds, as entries of a price map for exactly that name: the
// latest that applies counts. Prices for a time of day, which entries can't express, are left out. Without a price, there are none.
func (b *Book) Prices(provider, name string) []usage.Price {
	m := b.model(provider, name)
	if m.model == nil {
		return nil
	}
	all := m.entries(name)
	for i := range all {
		all[i] = *m.marked(&all[i])
	}
	return all
}

func (b *Book) model(provider, name string) found {
	if name == "" {
		return found{}
	}
	key := call{provider, name}
	b.mu.Lock()
	defer b.mu.Unlock()
	m, known := b.found[key]
	if !known {
		m = b.search(strings.ToLower(strings.TrimSpace(provider)), strings.ToLower(strings.TrimSpace(name)))
		if len(b.found) >= maxFound {
			clear(b.found)
		}
		b.found[key] = m
	}
	return m
}

// provider finds a provider by its ID, whatever the separators, or else by the words in its name.
func (b *Book) provider(name string) *provider {
	for _, p := range b.providers {
		if joined(p.ID) == joined(name) {
			return p
		}
	}
	for _, p := range b.providers {
		if p.ProviderMatch != nil && p.ProviderMatch.holds(name) {
			return p
		}
	}
	return nil
}

var separators = strings.NewReplacer("-", "", "_", "")

// joined is a name without separators.
func joined(name string) string { return separators.Replace(name) }

package listprice

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// computed is a call and what the package from which the list was made says that it costs.
type computed struct {
	provider, name string
	at             time.Time
	tokens         map[string]int64
	costs          []float64 // Input, output and total; empty without a price.
}

func (c *computed) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	c.costs = make([]float64, len(raw)-4)
	to := []any{&c.provider, &c.name, &c.at, &c.tokens}
	for i := range c.costs {
		to = append(to, &c.costs[i])
	}
	for i, each := range raw {
		if err := json.Unmarshal(each, to[i]); err != nil {
			return err
		}
	}
	return nil
}

func readCalls(t *testing.T) []computed {
	t.Helper()
	file, err := os.Open("testdata/calls.json.gz")
	assert.Must(t, err)
	t.Cleanup(func() { _ = file.Close() })
	plain, err := gzip.NewReader(file)
	assert.Must(t, err)
	var calls []computed
	assert.Must(t, json.NewDecoder(plain).Decode(&calls))
	return calls
}

// usageOf converts the tokens of a call. In the package, kinds of content and caches overlap; in usage reports, nothing does.
func usageOf(tokens map[string]int64) usage.Usage {
	input, output := tokens["input_tokens"], tokens["output_tokens"]
	hour := tokens["cache_write_1h_tokens"]
	audio, image := tokens["cache_audio_read_tokens"], tokens["cache_image_read_tokens"]
	units := usage.Counts{}
	for unit, name := range map[string]string{"web_searches": "web_searches", "storage_searches": "file_searches"} {
		if n := tokens[unit]; n > 0 {
			units[name] = decimal.Of(n)
		}
	}
	details := func(all map[string]int64) usage.Counts {
		counts := usage.Counts{}
		for kind, n := range all {
			if n > 0 {
				counts[kind] = decimal.Of(n)
			}
		}
		return counts
	}
	return usage.Usage{
		Charges: usage.Charges{Units: units},
		Input: usage.Side{Tokens: &input, Details: details(map[string]int64{
			"cache_read": tokens["cache_read_tokens"] - audio - image, "cache_creation": tokens["cache_write_tokens"] - hour,
			"ephemeral_1h_input_tokens": hour, "audio": tokens["input_audio_tokens"] - audio, "audio_cache_read": audio,
			"image": tokens["input_image_tokens"] - image, "image_cache_read": image,
		})},
		Output: usage.Side{Tokens: &output, Details: details(map[string]int64{
			"reasoning": tokens["output_reasoning_tokens"], "audio": tokens["output_audio_tokens"], "image": tokens["output_image_tokens"],
		})},
	}
}

// TestCalls_unraced compares the costs of thousands of calls, of every model in the list, with those that the package computes.
func TestCalls_unraced(t *testing.T) {
	t.Parallel()
	calls := readCalls(t)
	if len(calls) < 5000 {
		t.Errorf("%d calls, want thousands", len(calls))
	}
	for _, call := range calls {
		used := usageOf(call.tokens)
		price := Bundled().Find(call.provider, call.name, call.at, *used.Input.Tokens)
		if price != nil && (len(call.costs) == 0 && (call.provider == "" || price.Incomplete != "") || price.Name == "deepseek/deepseek-v4-flash") {
			continue // Names that the package doesn't know are in TestNames, corrected prices in TestCorrections.
		}
		cost := usage.EstimateCost(used, price)
		var got []float64
		if price != nil {
			for _, amount := range []*decimal.Decimal{cost.PromptCost, cost.CompletionCost, cost.TotalCost} {
				if amount == nil {
					amount = new(decimal.Decimal) // Tokens of what is billed by the hour or page have no cost here, and cost 0 there.
				}
				value, err := strconv.ParseFloat(amount.String(), 64)
				assert.Must(t, err)
				got = append(got, value)
			}
		}
		same := len(got) == len(call.costs)
		for i := range min(len(got), len(call.costs)) {
			same = same && math.Abs(got[i]-call.costs[i]) <= 1e-9*math.Max(1, call.costs[i])
		}
		if !same {
			t.Errorf("%s %s at %s with %v: costs = %v, want %v", call.provider, call.name, call.at.Format(time.DateTime), call.tokens, got, call.costs)
		}
	}
}

// TestPublishedPrices has prices that OpenAI, Anthropic and Google publish on their pages, in US dollars per million tokens.
func TestPublishedPrices(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		provider, name string
		tokens         int64
		want           string
	}{
		{"openai", "gpt-4o-mini", 1, "0.15 0.6 cache_read 0.075"},
		{"openai", "gpt-4o-mini-2024-07-18", 1, "0.15 0.6 cache_read 0.075"},
		{"", "gpt-4o", 1, "2.5 10 cache_read 1.25"},
		{"anthropic", "claude-3-5-haiku-20241022", 1, "0.8 4 cache_creation 1 cache_read 0.08 ephemeral_1h_input_tokens 1.6"},
		{"amazon_bedrock", "anthropic.claude-3-haiku-20240307-v1:0", 1, "0.25 1.25"},
		{"google_genai", "gemini-2.5-pro", 200_000, "1.25 10 cache_read 0.125"},
		{"google_genai", "gemini-2.5-pro", 200_001, "2.5 15 cache_read 0.25"},
		{"google_vertexai", "gemini-2.5-flash", 1, "0.3 2.5 audio 1 audio_cache_read 0.1 cache_read 0.03"},
	} {
		p := Bundled().Find(tc.provider, tc.name, time.Time{}, tc.tokens)
		if p == nil {
			t.Errorf("%s %s has no price", tc.provider, tc.name)
			continue
		}
		million := decimal.Of(1_000_000)
		got := []string{p.PromptCost.Mul(million).String(), p.CompletionCost.Mul(million).String()}
		for _, kind := range []string{"audio", "audio_cache_read", "cache_creation", "cache_read", "ephemeral_1h_input_tokens"} {
			if price, is := p.PromptCostDetails[kind]; is {
				got = append(got, kind, price.Mul(million).String())
			}
		}
		assert.Same(t, fmt.Sprintf("%s %s with %d tokens", tc.provider, tc.name, tc.tokens), tc.want, strings.Join(got, " "))
	}
}

// TestNames has names of models as clients write them: LiteLLM and gateways with a route, LangChain with a provider and a colon, Google's and
// AWS's clients with paths. Prices of another region, or of a model that was tuned, are noted.
func TestNames(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(`
gemini-2.5-flash          -                 google/gemini-2.5-flash
models/gemini-2.5-flash   -                 google/gemini-2.5-flash
models/gemini-2.5-flash   google_genai      google/gemini-2.5-flash
publishers/google/models/gemini-2.5-flash   google_vertexai google/gemini-2.5-flash
projects/p/locations/us-central1/publishers/google/models/gemini-2.5-flash    -                  google/gemini-2.5-flash
projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929 gcp.vertex.agent google/claude-sonnet-4-5
projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929 gcp.vertex.agent google/claude-sonnet-4-5 no price for the region us-east5
projects/p/locations/eu/publishers/anthropic/models/claude-opus-5 - anthropic/claude-opus-5 no price for the region eu
projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-4-1@20250805 - anthropic/claude-opus-4-1
projects/p/models/gemini-2.5-flash          gcp.vertex_ai   google/gemini-2.5-flash
gemini/gemini-2.5-flash   -                 google/gemini-2.5-flash
google/gemini-2.5-flash   gateway           google/gemini-2.5-flash
googleai/gemini-2.5-flash -                 google/gemini-2.5-flash
google-gla:gemini-2.5-flash -               google/gemini-2.5-flash
google_genai:gemini-2.5-flash -             google/gemini-2.5-flash
vertex_ai/gemini-2.5-flash litellm          google/gemini-2.5-flash
vertex_ai/claude-sonnet-4-5@20250929 -      google/claude-sonnet-4-5
claude-sonnet-4-5         vertex.anthropic.messages google/claude-sonnet-4-5
claude-sonnet-4-5         anthropic.messages anthropic/claude-sonnet-4-5
anthropic/claude-sonnet-4-5 -               anthropic/claude-sonnet-4-5
anthropic:claude-sonnet-4-5 -               anthropic/claude-sonnet-4-5
anthropic/claude-sonnet-4-5 openai          anthropic/claude-sonnet-4-5
gpt-4o                    -                 openai/gpt-4o
gpt-4o                    openai.chat       openai/gpt-4o
gpt-4o                    openai.responses  openai/gpt-4o
gpt-4o                    azure_ai          openai/gpt-4o
gpt-4o                    azure             openai/gpt-4o
gpt-4o                    litellm           openai/gpt-4o
openai/gpt-4o             litellm           openai/gpt-4o
gpt-4o                    my-gateway        -
gpt-4o                    ollama            -
my-model                  -                 -
grok-3                    x_ai              x-ai/grok-3
grok-3                    xai               x-ai/grok-3
gemma2-9b-it              groq.chat         groq/gemma2-9b-it
openai/gpt-4o             -                 openai/gpt-4o
openai/gpt-4o             openai            openai/gpt-4o
openai:gpt-4o             -                 openai/gpt-4o
openai/responses/gpt-4o   -                 openai/gpt-4o
azure/gpt-4o              -                 openai/gpt-4o
azure_ai/gpt-4o           -                 openai/gpt-4o
openrouter/openai/gpt-4o  -                 openrouter/openai/gpt-4o
openai/gpt-4o             openrouter        openrouter/openai/gpt-4o
openai/gpt-4o:nitro       openrouter        openrouter/openai/gpt-4o
openai/gpt-4o:floor       -                 openai/gpt-4o
deepseek/deepseek-chat-v3-0324:free -       openrouter/deepseek/deepseek-chat-v3-0324:free
vendor/unlisted:free      -                 openrouter/:free
vendor/unlisted:free      openrouter        openrouter/:free
vendor/unlisted           openrouter        -
openai/gpt-4o             ollama            -
openai/gpt-4o             groq              -
gpt-4o                    groq              -
my-company/gpt-4o         -                 -
groq/llama-3.3-70b-versatile -              groq/llama-3.3-70b-versatile
llama-3.3-70b-versatile   -                 groq/llama-3.3-70b-versatile
openai/gpt-oss-120b       groq              groq/openai/gpt-oss-120b
deepseek/deepseek-v4-flash -                deepseek/deepseek-v4-flash
mistral/mistral-medium-3-5 -                mistral/mistral-medium-3-5
mistralai:mistral-medium-3-5 -              mistral/mistral-medium-3-5
xai/grok-4.6              -                 x-ai/grok-4.6
x-ai/grok-4.6             gateway           x-ai/grok-4.6
perplexity/sonar-pro      -                 perplexity/sonar-pro
sonar-pro                 -                 perplexity/sonar-pro
cohere_chat/command-a-03-2025 -             cohere/command-a
moonshot/kimi-k3          -                 moonshotai/kimi-k3
fireworks_ai/accounts/fireworks/models/deepseek-v4-flash - fireworks/deepseek-v4-flash
anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
anthropic.claude-sonnet-4-5-20250929-v1:0 aws.bedrock aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
anthropic.claude-sonnet-4-5-20250929-v1:0 anthropic_bedrock anthropic/claude-sonnet-4-5
us.anthropic.claude-sonnet-4-5-20250929-v1:0 anthropic_bedrock aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
eu.anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
global.anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/global.anthropic.claude-sonnet-4-5-20250929-v1:0
bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
bedrock_converse:us.anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
bedrock/us-east-1/amazon.nova-pro-v1:0     - aws/amazon.nova-pro-v1:0
us.amazon.nova-pro-v1:0   bedrock           aws/amazon.nova-pro-v1:0
arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-sonnet-4-5-20250929-v1:0 - aws/global.anthropic.claude-sonnet-4-5-20250929-v1:0
arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0 - aws/amazon.nova-pro-v1:0
us.anthropic.claude-2.1   -                 anthropic/claude-2    no price for the region us
ft:gpt-4o-mini-2024-07-18:acme::abc -       openai/ft:gpt-4o-mini
ft:gpt-4.1-mini-2025-04-14:acme::abc openai openai/gpt-4.1-mini   no price for tuned models
llama3.2                  ollama            -
meta-llama/llama-3.3-70b-instruct -         -
`) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		got := []string{"-"}
		if p := Bundled().Find(strings.TrimPrefix(words[1], "-"), words[0], time.Time{}, 1); p != nil {
			got = append([]string{p.Name}, strings.Fields(p.Incomplete)...)
		}
		assert.Same(t, fmt.Sprintf("%s from %s", words[0], words[1]), words[2:], got)
	}
	if p := Bundled().Find("OpenAI ", " GPT-4o", time.Time{}, 1); p == nil || p.Name != "openai/gpt-4o" {
		t.Errorf("with spaces and capitals: %v, want the price of openai/gpt-4o", p)
	}
	if p := Bundled().Find("openai", "", time.Time{}, 1); p != nil {
		t.Errorf("no name: %v, want no price", p)
	}
}

// TestCorrections has prices that providers have published since the list: DeepSeek's change at some hours of weekdays.
func TestCorrections(t *testing.T) {
	t.Parallel()
	million := decimal.Of(1_000_000)
	for at, want := range map[string]string{
		"2026-08-20T12:00:00Z": "0.22 0.66", "2026-09-10T03:59:59Z": "0.44 1.32", "2026-09-10T12:00:00Z": "0.15 0.6",
		"2026-11-20T02:00:00Z": "0.3 1.2", "2026-11-20T05:00:00Z": "0.15 0.6", "2026-11-20T09:59:59Z": "0.3 1.2", "2026-11-20T10:00:00Z": "0.15 0.6",
		"2026-11-21T02:00:00Z": "0.15 0.6", "2026-11-22T09:00:00Z": "0.15 0.6",
	} {
		start, err := time.Parse(time.RFC3339, at)
		assert.Must(t, err)
		p := Bundled().Find("deepseek", "deepseek-v4-flash", start, 1)
		assert.Same(t, "price at "+at, want, p.PromptCost.Mul(million).String()+" "+p.CompletionCost.Mul(million).String())
	}
	var file struct {
		Prices, Charges []struct{ Provider, Date, Source string }
	}
	text, err := os.ReadFile("corrections.json")
	assert.Must(t, err)
	assert.Must(t, json.Unmarshal(text, &file))
	for _, c := range slices.Concat(file.Prices, file.Charges) {
		if _, err := time.Parse(time.DateOnly, c.Date); err != nil || !strings.HasPrefix(c.Source, "https://") {
			t.Errorf("a correction of %s is of %q, from %q, want a date and an address", c.Provider, c.Date, c.Source)
		}
	}
}

// TestEntries_unraced expects a price map of the entries to have the prices of the list, at every time of day that has no prices of its own.
func TestEntries_unraced(t *testing.T) {
	t.Parallel()
	book := Bundled()
	for _, call := range readCalls(t) {
		entries := book.Prices(call.provider, call.name)
		m := book.model(call.provider, call.name)
		if m.model == nil || slices.ContainsFunc(m.Prices, func(t terms) bool { return t.Daily != nil }) {
			continue
		}
		prices, err := usage.NewPriceMap(entries)
		assert.Must(t, err)
		input := call.tokens["input_tokens"]
		want, got := book.Find(call.provider, call.name, call.at, input), prices.Find(usage.Model{Name: call.name}, call.at, input)
		if (want == nil) != (got == nil) {
			t.Fatalf("%s %s: price = %v, want %v", call.provider, call.name, got, want)
		}
		if want == nil {
			continue
		}
		used := usageOf(call.tokens)
		assert.Same(t, fmt.Sprintf("%s %s at %s with %v", call.provider, call.name, call.at, call.tokens), usage.EstimateCost(used, want), usage.EstimateCost(used, got), cmpopts.IgnoreFields(usage.Cost{}, "Price"))
	}
}

// TestIDs expects an ID of its own for each price: runs refer to them.
func TestIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Bundled().providers {
		for _, m := range p.Models {
			for _, terms := range m.Prices {
				for _, price := range terms.byThreshold {
					if seen[price.ID] {
						t.Errorf("%s has the ID of another price", price.Name)
					}
					seen[price.ID] = true
				}
			}
		}
	}
}

// TestNotice expects the notice that has to accompany copies, and what the list is.
func TestNotice(t *testing.T) {
	t.Parallel()
	book := Bundled()
	if !strings.Contains(book.license, "The MIT License") || !strings.Contains(book.license, "Copyright (c) Pydantic Services Inc.") {
		t.Errorf("license = %q", book.license)
	}
	// This file is in the archives of a release.
	if file, err := os.ReadFile("LICENSE-genai-prices"); err != nil || string(file) != book.license {
		t.Errorf("LICENSE-genai-prices = %q (%v), want the license in prices.json", file, err)
	}
	var pinned struct {
		Dependencies map[string]string
	}
	data, err := os.ReadFile("build/package.json")
	assert.Must(t, err)
	if err := json.Unmarshal(data, &pinned); err != nil || pinned.Dependencies[book.Source] != book.Version {
		t.Errorf("the list is of %s %s, but build/package.json has %v (%v): run .ci/prices", book.Source, book.Version, pinned.Dependencies, err)
	}
}

// TestManyNames_unraced expects clients that make up names not to fill the memory.
func TestManyNames_unraced(t *testing.T) {
	t.Parallel()
	book, err := read(bundled)
	assert.Must(t, err)
	for i := range 2 * maxFound {
		book.Find("openai", fmt.Sprintf("gpt-%d", i), time.Time{}, 0)
	}
	if len(book.found) > maxFound {
		t.Errorf("%d names are remembered, want at most %d", len(book.found), maxFound)
	}
}

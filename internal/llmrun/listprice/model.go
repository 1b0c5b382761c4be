package listprice

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// model is a model of a provider.
type model struct {
	ID     string
	Match  match
	Prices []terms

	name string
}

// terms are what tokens cost under a condition: from a day on, or at some hours of each day, or of each weekday. The last terms of a model
// that apply count; the first ones have no condition.
type terms struct {
	From *time.Time
	// Daily are the first minute of each day, in UTC, and the first one after it. It may contain midnight.
	Daily    *[2]int
	Weekdays bool

	Input         *amount
	Output        *amount
	Request       *amount
	InputDetails  map[string]*amount `json:"input_details"`
	OutputDetails map[string]*amount `json:"output_details"`
	Units         map[string]*amount
	Multipliers   usage.Costs

	// byThreshold are the prices for calls with more input tokens than each threshold, ascending; the first has no threshold.
	byThreshold []*usage.Price
}

// prepare computes the prices of all terms. With one threshold, every term has it, even at equal prices: otherwise a price of a past
// term could seem to be more specific than a later one.
func (m *model) prepare(provider string) error {
	m.name = provider + "/" + m.ID
	thresholds := map[int64]bool{}
	for _, t := range m.Prices {
		for _, a := range t.amounts() {
			for _, step := range a.Tiers {
				thresholds[step.Start] = true
			}
		}
	}
	for i := range m.Prices {
		t := &m.Prices[i]
		if t.Input == nil && t.Output == nil && t.Request == nil && t.Units == nil {
			continue // It is priced by what no usage reports.
		}
		for _, threshold := range append([]int64{-1}, slices.Sorted(maps.Keys(thresholds))...) {
			t.byThreshold = append(t.byThreshold, m.price(t, threshold))
		}
	}
	if len(m.Prices) == 0 || m.Prices[0].From != nil || m.Prices[0].Daily != nil {
		return fmt.Errorf("%s has no price without a condition", m.ID)
	}
	return nil
}

// price returns what tokens cost in calls with more input tokens than a threshold: all of them have the price of the highest threshold
// that the call exceeds.
func (m *model) price(t *terms, threshold int64) *usage.Price {
	p := &usage.Price{
		Name: m.name, PromptCost: t.Input.above(threshold), CompletionCost: t.Output.above(threshold), RequestCost: t.Request.above(threshold),
		PromptCostDetails: details(t.InputDetails, threshold), CompletionCostDetails: details(t.OutputDetails, threshold),
		UnitCosts: details(t.Units, threshold), Multipliers: t.Multipliers,
	}
	identity := m.name
	if t.From != nil {
		p.StartTime = t.From
		identity += " from " + t.From.Format(time.DateOnly)
	}
	if t.Daily != nil {
		identity += fmt.Sprintf(" at %02d:%02d:00Z/%02d:%02d:00Z", t.Daily[0]/60, t.Daily[0]%60, t.Daily[1]/60, t.Daily[1]%60)
	}
	if threshold >= 0 {
		p.PromptTokenThreshold = &threshold
		identity += " above " + strconv.FormatInt(threshold, 10)
	}
	// Clients decode the ID of a run's price as a UUID.
	p.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("list price of "+identity)).String()
	return p
}

func details(amounts map[string]*amount, threshold int64) usage.Costs {
	if len(amounts) == 0 {
		return nil
	}
	costs := make(usage.Costs, len(amounts))
	for kind, a := range amounts {
		costs[kind] = a.above(threshold)
	}
	return costs
}

func (t *terms) amounts() []*amount {
	all := slices.Concat(slices.Collect(maps.Values(t.InputDetails)), slices.Collect(maps.Values(t.OutputDetails)))
	for _, a := range []*amount{t.Input, t.Output, t.Request} {
		if a != nil {
			all = append(all, a)
		}
	}
	return all
}

func (m *model) priceOf(start time.Time, inputTokens int64) *usage.Price {
	at := 0
	for i, t := range m.Prices {
		if (t.From == nil || !start.Before(*t.From)) && (t.Daily == nil || within(*t.Daily, start.Hour()*60+start.Minute())) &&
			(!t.Weekdays || start.Weekday() != time.Saturday && start.Weekday() != time.Sunday) {
			at = i
		}
	}
	var best *usage.Price
	for _, p := range m.Prices[at].byThreshold {
		if p.PromptTokenThreshold == nil || inputTokens > *p.PromptTokenThreshold {
			best = p
		}
	}
	return best
}

func (m *model) entries(name string) []usage.Price {
	var all []usage.Price
	for _, t := range m.Prices {
		if t.Daily != nil {
			continue
		}
		for _, p := range t.byThreshold {
			entry := *p
			entry.MatchPattern = "^" + regexp.QuoteMeta(name) + "$"
			all = append(all, entry)
		}
	}
	return all
}

// within reports whether a minute of the day is in a part of it.
func within(part [2]int, minute int) bool {
	if part[1] < part[0] {
		return minute >= part[0] || minute < part[1]
	}
	return minute >= part[0] && minute < part[1]
}

// amount is what a million tokens cost, in US dollars.
type amount struct {
	Base decimal.Decimal
	// Tiers are what they cost in calls with more input tokens than a number.
	Tiers []struct {
		Start int64
		Price decimal.Decimal
	}
}

// UnmarshalJSON reads an amount, which is a number if it is the same in all calls.
func (a *amount) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return a.Base.UnmarshalJSON(data)
	}
	type plain amount
	return json.Unmarshal(data, (*plain)(a))
}

// millionth converts a price of a million tokens.
var millionth, _ = decimal.Parse("0.000001")

// above returns what one token costs in a call with more input tokens than a threshold; nothing if the amount is nil.
func (a *amount) above(threshold int64) decimal.Decimal {
	if a == nil {
		return decimal.Decimal{}
	}
	price, highest := a.Base, int64(-1)
	for _, step := range a.Tiers {
		if step.Start <= threshold && step.Start > highest {
			price, highest = step.Price, step.Start
		}
	}
	return price.Mul(millionth)
}

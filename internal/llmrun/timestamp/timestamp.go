package timestamp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The layouts of the service's times: always with six fractional digits, because clients compare them with the digits of
// the dotted order.
const (
	// Layout states that the time is UTC. Format only times in UTC with it.
	Layout = "2006-01-02T15:04:05.000000Z"
	// NaiveLayout omits the zone, like version 1 of the runs API.
	NaiveLayout = "2006-01-02T15:04:05.000000"
)

// Format formats a time as the service does: in UTC, with exactly six fractional digits.
func Format(t time.Time) string { return t.UTC().Format(Layout) }

// timeLayouts are the forms of ISO 8601 that clients send; seconds may have a fraction of any length. Times without a zone
// are UTC.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700", time.DateTime,
}

// Parse reads a time in ISO 8601. Without a zone, it is UTC. The result is in UTC and whole microseconds, which is what the
// service stores.
func Parse(s string) (time.Time, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return storedTime(t, s)
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time: write it like 2026-11-21T00:09:15.597001Z", rawjson.ShowWord(rawjson.Quote(s)))
}

// IsSame reports whether two texts are the same time, with the precision that the service stores.
func IsSame(a, b string) bool {
	one, err := Parse(a)
	other, otherErr := Parse(b)
	return err == nil && otherErr == nil && one.Equal(other)
}

// Read reads a time from JSON: a string like Parse, or a number of seconds or milliseconds since 1970. Numbers beyond ±2e10
// are milliseconds: in seconds, that would be the year 2603.
func Read(raw json.RawMessage) (time.Time, error) {
	if s, ok := rawjson.ReadString(raw); ok {
		return Parse(s)
	}
	text, ok := rawjson.NumberText(raw)
	if !ok {
		return time.Time{}, errors.New(rawjson.Show(raw) + " is not a time: write a string like 2026-11-21T00:09:15.597001Z, or milliseconds since 1970")
	}
	n, err := rawjson.ParseNumber(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading a time: %w", err)
	}
	scale := microsPerSecond
	if abs := new(big.Rat).Abs(n); abs.Cmp(maxSeconds) > 0 {
		scale = microsPerMilli
	}
	micros := new(big.Rat).Mul(n, scale)
	// Div rounds down for a positive divisor, like truncating the digits of a later year.
	whole := new(big.Int).Div(micros.Num(), micros.Denom())
	if !whole.IsInt64() {
		return time.Time{}, outOfRange(string(raw))
	}
	return storedTime(time.UnixMicro(whole.Int64()), string(raw))
}

var (
	maxSeconds      = big.NewRat(20_000_000_000, 1)
	microsPerSecond = big.NewRat(1_000_000, 1)
	microsPerMilli  = big.NewRat(1000, 1)
)

// storedTime converts a time to what the service stores. A dotted order can only contain years with four digits.
func storedTime(t time.Time, text string) (time.Time, error) {
	t = t.UTC().Truncate(time.Microsecond)
	if year := t.Year(); year < 1 || year > 9999 {
		return time.Time{}, outOfRange(text)
	}
	return t, nil
}

func outOfRange(text string) error {
	return fmt.Errorf("the time %s is outside the years 1 to 9999: check its unit, seconds or milliseconds since 1970",
		rawjson.Shorten(text))
}

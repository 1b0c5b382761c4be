package form

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// DateTime formats times as the service does: in UTC, with microseconds.
func DateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// Time reads a time in any form that the tracing service accepts from a member of the body; nil if it is absent or empty.
func Time(name string, text *string) (*time.Time, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	at, err := timestamp.Parse(*text)
	if err != nil {
		return nil, OfFields(api.ValidationError{
			Loc: []api.LocStep{api.Key("body"), api.Key(name)}, Msg: "Input should be a valid datetime, " + err.Error(), Type: "datetime_parsing",
		})
	}
	return &at, nil
}

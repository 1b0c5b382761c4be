package rest

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// DateTime formats times as the service does: in UTC, with microseconds.
func DateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// AnyTime reads a time in any form that the tracing service accepts; nil if the parameter is absent or empty.
func (p *Params) AnyTime(name string) *time.Time {
	text := p.Text(name)
	if text == nil || *text == "" {
		return nil
	}
	at, err := timestamp.Parse(*text)
	if err != nil {
		p.Add(name, "datetime_parsing", "Input should be a valid datetime, "+err.Error())
	}
	return &at
}

// BodyTime is AnyTime for a member of the body.
func BodyTime(name string, text *string) (*time.Time, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	at, err := timestamp.Parse(*text)
	if err != nil {
		return nil, Unprocessable(api.ValidationError{
			Loc: []api.LocStep{api.Key("body"), api.Key(name)}, Msg: "Input should be a valid datetime, " + err.Error(), Type: "datetime_parsing",
		})
	}
	return &at, nil
}

package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func TestParams(t *testing.T) {
	t.Parallel()
	read := func(query string) *Params {
		return NewParams(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, http.NoBody))
	}
	for query, want := range map[string]bool{
		"": false, "flag=true": true, "flag=True": true, "flag=1": true, "flag=false": false, "flag=0": false, "flag=TRUE": true,
	} {
		p := read(query)
		if got := p.Flag("flag"); got != want || p.Err() != nil {
			t.Errorf("%q: flag = %v (%v), want %v", query, got, p.Err(), want)
		}
	}
	for _, query := range []string{"flag=", "flag=yes%20please", "flag=2"} {
		p := read(query)
		p.Flag("flag")
		if p.Err() == nil {
			t.Errorf("%q: want an error for the invalid flag", query)
		}
	}
	for query, want := range map[string][]string{
		"": nil, "list=": {""}, "list=a": {"a"}, "list=a,b": {"a", "b"}, "list=a,%20b%20": {"a", "b"},
	} {
		assert.Same(t, fmt.Sprintf("%q", query), want, read(query).List("list"))
	}
	for query, want := range map[string]store.Page{
		"":                     {Limit: 20},
		"limit=1":              {Limit: 1},
		"limit=100&offset=0":   {Limit: 100},
		"offset=4000000":       {Limit: 20, Offset: 4000000},
		"limit=7&offset=3&x=y": {Limit: 7, Offset: 3},
	} {
		p := read(query)
		if diff := cmp.Diff(want, p.Page()); diff != "" || p.Err() != nil {
			t.Errorf("%q (%v) (-want +got):\n%s", query, p.Err(), diff)
		}
	}
	for query, want := range map[string][]any{
		"": {(*time.Time)(nil), (*bool)(nil), nil},
		"at=2026-05-01T00:00:00&flag=0&object={}": {new(time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)), new(false), map[string]any{}},
	} {
		p := read(query)
		assert.Same(t, query, want, []any{p.AnyTime("at"), p.OptionalFlag("flag"), p.JSONObject("object")})
	}
	p := read("limit=x&offset=-1&kind=c&ids=1&at=1&object=1")
	p.Page()
	p.AnyTime("at")
	p.JSONObject("object")
	p.OneOf("kind", []string{"a", "b"})
	p.IDs("ids")
	refused, is := errors.AsType[*form.Error](p.Err())
	if !is {
		t.Fatalf("error = %v, want a refusal", p.Err())
	}
	want := []api.ValidationError{
		{Loc: InQuery("limit"), Type: "int_parsing"}, {Loc: InQuery("offset"), Type: "greater_than_equal"},
		{Loc: InQuery("at"), Type: "datetime_parsing"}, {Loc: InQuery("object"), Type: "json_type"},
		{Loc: InQuery("kind"), Type: "enum"}, {Loc: InQuery("ids"), Type: "uuid_parsing"},
	}
	assert.Same(t, "problems", want, refused.Fields, cmpopts.IgnoreFields(api.ValidationError{}, "Msg"))
}

package rest

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func TestDateTime(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-05-02T10:00:00.000000Z": time.Date(2026, 5, 2, 12, 0, 0, 0, east),
		"2026-05-02T10:00:00.000001Z": time.Date(2026, 5, 2, 10, 0, 0, 1999, time.UTC),
	} {
		if got := DateTime(at); got != want {
			t.Errorf("DateTime(%s) = %s, want %s", at, got, want)
		}
	}
}

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
		if diff := cmp.Diff(want, read(query).List("list")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
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
	p := read("limit=x&offset=-1&kind=c&ids=1")
	p.Page()
	p.OneOf("kind", []string{"a", "b"})
	p.IDs("ids")
	want := []found{
		{`["query","limit"]`, "int_parsing"}, {`["query","offset"]`, "greater_than_equal"},
		{`["query","kind"]`, "enum"}, {`["query","ids"]`, "uuid_parsing"},
	}
	if diff := cmp.Diff(want, problemsOf(t, p.Err()), cmp.AllowUnexported(found{})); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

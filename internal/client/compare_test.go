package client

import (
	"encoding/json"
	"testing"
)

func TestDifference(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	type l = []any
	const defaults, patch, put = maxMerges, 1, 0
	number := func(text string) any { return json.Number(text) }
	for name, test := range map[string]struct {
		merges    int
		want, got any
		path      string
		different bool
	}{
		"equal":                      {patch, m{"a": "x"}, m{"a": "x", "b": "y"}, "", false},
		"null, missing":              {patch, m{"a": nil}, m{}, "", false},
		"null, empty text":           {patch, m{"a": nil}, m{"a": ""}, "", false},
		"null, a value":              {patch, m{"a": nil}, m{"a": "x"}, ".a", true},
		"empty list, missing":        {patch, m{"a": l{}}, m{}, "", false},
		"empty list, null":           {patch, m{"a": l{}}, m{"a": nil}, "", false},
		"empty list, more":           {patch, m{"a": l{}}, m{"a": l{"x"}}, ".a", true},
		"empty object, missing":      {patch, m{"a": m{}}, m{}, "", false},
		"empty object, empty in it":  {patch, m{"a": m{}}, m{"a": m{"b": nil}}, "", false},
		"empty object, more":         {patch, m{"a": m{}}, m{"a": m{"b": "x"}}, ".a.b", true},
		"empty object, defaults":     {defaults, m{"a": m{}}, m{"a": m{"b": "x"}}, "", false},
		"missing":                    {patch, m{"a": m{"b": "x"}}, m{}, ".a.b", true},
		"other value":                {patch, m{"a": m{"b": "x"}}, m{"a": m{"b": "y"}}, ".a.b", true},
		"removed member":             {patch, m{"a": m{"b": "x"}}, m{"a": m{"b": "x", "c": "y"}}, ".a.c", true},
		"removed empty text":         {patch, m{"a": m{"b": "x"}}, m{"a": m{"b": "x", "c": ""}}, ".a.c", true},
		"default beside a member":    {defaults, m{"a": m{"b": "x"}}, m{"a": m{"b": "x", "c": "y"}}, "", false},
		"removed field":              {put, m{"a": "x"}, m{"a": "x", "b": "y"}, ".b", true},
		"the first by name":          {patch, m{"b": "x", "a": "x"}, m{}, ".a", true},
		"list of other order":        {patch, m{"a": l{"x", "y"}}, m{"a": l{"y", "x"}}, "", false},
		"list of objects by name":    {patch, m{"a": l{m{"name": "x"}, m{"name": "y"}}}, m{"a": l{m{"name": "y"}, m{"name": "x"}}}, "", false},
		"mounts of one volume":       {patch, m{"a": l{m{"name": "v", "mountPath": "/x"}, m{"name": "v", "mountPath": "/y"}}}, m{"a": l{m{"name": "v", "mountPath": "/y"}, m{"name": "v", "mountPath": "/x"}}}, "", false},
		"arguments of other order":   {patch, m{"args": l{"x", "y"}}, m{"args": l{"y", "x"}}, ".args[0]", true},
		"longer list":                {patch, m{"a": l{"x"}}, m{"a": l{"x", "y"}}, ".a", true},
		"default inside a list":      {defaults, m{"a": l{m{"b": "x"}}}, m{"a": l{m{"b": "x", "c": "y"}}}, "", false},
		"other inside a list":        {patch, m{"a": l{"z", m{"b": "x"}}}, m{"a": l{"z", m{"b": "y"}}}, ".a[0].b", true},
		"object for a list":          {patch, m{"a": l{"x"}}, m{"a": m{}}, ".a", true},
		"list for an object":         {patch, m{"a": m{"b": "x"}}, m{"a": l{}}, ".a", true},
		"text for an object":         {patch, m{"a": m{}}, m{"a": "x"}, ".a", true},
		"object for text":            {patch, m{"a": "x"}, m{"a": m{}}, ".a", true},
		"list for text":              {patch, m{"a": "x"}, m{"a": l{"x"}}, ".a", true},
		"false is a value":           {patch, m{"a": false}, m{}, ".a", true},
		"UUID in capitals":           {patch, m{"a": "ab000001-0000-4000-8000-000000000000"}, m{"a": "AB000001-0000-4000-8000-000000000000"}, "", false},
		"text in capitals":           {patch, m{"a": "ab"}, m{"a": "AB"}, ".a", true},
		"time in another zone":       {patch, m{"a": "2026-06-01T00:00:00Z"}, m{"a": "2026-06-01T02:00:00.000000+02:00"}, "", false},
		"number in another form":     {patch, m{"a": number("2e-6")}, m{"a": number("0.0000020")}, "", false},
		"numbers of the same float":  {patch, m{"a": number("9007199254740992")}, m{"a": number("9007199254740993")}, ".a", true},
		"secret isn't shown":         {patch, m{"a": "hunter22"}, m{"a": "***"}, "", false},
		"secret in a whole object":   {put, m{"a": "hunter22"}, m{}, "", false},
		"another value than secrets": {patch, m{"a": "x"}, m{"a": "***"}, ".a", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, different := comparison{test.merges, []string{"hunter22"}}.difference(0, test.want, test.got)
			if path != test.path || different != test.different {
				t.Errorf("difference = %q, %v; want %q, %v", path, different, test.path, test.different)
			}
		})
	}
}

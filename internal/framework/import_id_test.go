package framework

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseImportID(t *testing.T) {
	t.Parallel()
	const id, workspace = "4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	tests := map[string]ImportID{
		id:                         {ID: id},
		workspace + "/" + id:       {WorkspaceID: workspace, ID: id},
		"name:chat":                {Name: "chat"},
		"name:a/b":                 {Name: "a/b"},
		"name:" + workspace + "/b": {Name: workspace + "/b"},
		workspace + "/name:a/b":    {WorkspaceID: workspace, Name: "a/b"},
		workspace + "/name:chat":   {WorkspaceID: workspace, Name: "chat"},
		"name:name:chat":           {Name: "name:chat"},
		"":                         {},
		"chat":                     {},
		"name:":                    {},
		workspace + "/name:":       {},
		"/" + id:                   {},
		id + "/":                   {},
		"other/" + id:              {},
		workspace + "/" + id + "/": {},
		" " + id:                   {},
		strings.ToUpper(id):        {ID: id},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := ParseImportID(text)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("parsed (-want +got):\n%s", diff)
			}
			if refused := want == (ImportID{}); refused != (err != nil) {
				t.Errorf("error = %v, want one: %t", err, refused)
			}
			if err != nil && !strings.Contains(err.Error(), "WORKSPACE_ID/name:NAME") {
				t.Errorf("error %q doesn't contain the accepted forms", err)
			}
		})
	}
}

package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestMeasureDataSource reads each data source completely with two numbers of items.
func TestMeasureDataSource(t *testing.T) {
	t.Parallel()
	for _, d := range dataSources {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			d.amounts = []int{2, 5}
			got := table{header: []string{"data source", "items", "seconds", "requests", "growth"}}
			if err := measureDataSource(t.Context(), &bench{out: io.Discard, progress: io.Discard}, d, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.rows) != 2 || got.rows[1][1] != "5" || got.rows[1][3] == "0" {
				t.Errorf("rows = %v, want two, the second with 5 items and some requests", got.rows)
			}
		})
	}
}

// TestMeasureDataSourceFails expects an error if items are missing or can't be read, instead of a fast result.
func TestMeasureDataSourceFails(t *testing.T) {
	t.Parallel()
	refuses := errors.New("full")
	for want, fill := range map[string]func(context.Context, *plane, int, int) (object, error){
		"full":                          func(context.Context, *plane, int, int) (object, error) { return nil, refuses },
		"deployments has 0 items, want": func(context.Context, *plane, int, int) (object, error) { return object{}, nil },
		"must be a UUID":                func(context.Context, *plane, int, int) (object, error) { return object{"workspace_id": "x"}, nil },
	} {
		d := dataSource{name: "agentplane_deployments", list: "deployments", amounts: []int{1}, fill: fill}
		err := measureDataSource(t.Context(), &bench{progress: io.Discard}, d, &table{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

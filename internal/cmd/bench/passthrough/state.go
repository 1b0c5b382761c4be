package main

import (
	"encoding/json"
	"os"
)

// instance is a resource in a state file.
type instance struct {
	Attributes json.RawMessage `json:"attributes"`
	Private    []byte          `json:"private"`
}

// readState returns the resources in a state file by their names.
func readState(path string) (map[string]instance, error) {
	data, err := os.ReadFile(path) //nolint:gosec // The benchmark's own file.
	if err != nil {
		return nil, err
	}
	var state struct {
		Resources []struct {
			Instances []instance `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, err
	}
	named := map[string]instance{}
	for _, resource := range state.Resources {
		for _, one := range resource.Instances {
			var attributes struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(one.Attributes, &attributes); err != nil {
				return nil, err
			}
			named[attributes.Name] = one
		}
	}
	return named, nil
}

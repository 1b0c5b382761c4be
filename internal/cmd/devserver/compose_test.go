package main

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"testing"
)

// TestCompose checks that the options in the compose file of examples/server are those of the command.
func TestCompose(t *testing.T) {
	t.Parallel()
	compose, err := os.ReadFile("../../../examples/server/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`command: (\["-addr".*\])`).FindSubmatch(compose)
	if command == nil {
		t.Fatal("the compose file has no command with options")
	}
	var args []string
	if err := json.Unmarshal(command[1], &args); err != nil {
		t.Fatal(err)
	}
	o, err := parseOptions(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o.config.SealKey == "" || len(o.config.Keys) != 1 || len(o.config.Proxies) != 1 || o.config.DrainDelay == 0 || o.metrics == "" {
		t.Errorf("options = %+v, want what servers behind a proxy need", o)
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// announce prints to standard output: where the server listens; after seeding, how to use it; and "ready".
func announce(ctx context.Context, out io.Writer, server *devserver.Server, o options, url string) error {
	if _, err := fmt.Fprintln(out, "listening on", url); err != nil {
		return err
	}
	if o.fixtures != nil {
		if err := server.Register(ctx, o.fixtures); err != nil {
			return err
		}
	}
	if o.seed {
		if err := seed(ctx, out, server, o.config, url); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out, "ready")
	return err
}

// seed seeds every workspace of every key; the printed lines are for the first one.
func seed(ctx context.Context, out io.Writer, server *devserver.Server, config devserver.Config, url string) error {
	for _, key := range config.Keys {
		for _, workspace := range key.Workspaces {
			if _, err := server.Seed(ctx, workspace); err != nil {
				return err
			}
			if err := server.Sample(ctx, workspace); err != nil {
				return err
			}
		}
	}
	key, workspace := config.Keys[0].Value, config.Keys[0].Workspaces[0]
	seeded, err := server.Seed(ctx, workspace) // If it is seeded already, this returns the existing objects.
	if err != nil {
		return err
	}
	variables := [][2]string{
		{"AGENTPLANE_BASE_URL", url},
		{"AGENTPLANE_API_KEY", key},
		{"AGENTPLANE_WORKSPACE_ID", workspace},
		{"TF_VAR_listener_id", seeded.ListenerID},
		{"TF_VAR_k8s_namespace", seeded.K8sNamespaces[0]},
		{"TF_VAR_integration_id", seeded.IntegrationID},
	}
	if config.Dialect != nil {
		variables = append(variables, [2]string{"AGENTPLANE_DIALECT", config.Dialect.Name})
	}
	for _, variable := range variables {
		if _, err := fmt.Fprintf(out, "export %s=%s\n", variable[0], shellQuoted(variable[1])); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, "# The web UI at", url, "asks for the AGENTPLANE_API_KEY above.")
	return err
}

// shellQuoted returns value as one word of a POSIX shell.
func shellQuoted(value string) string { return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" }

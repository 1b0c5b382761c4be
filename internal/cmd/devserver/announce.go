package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// announce prints to standard output: where the server listens; with objects of its own, how to use it; and "ready".
func announce(ctx context.Context, out io.Writer, server *devserver.Server, o options, url string) error {
	if _, err := fmt.Fprintln(out, "listening on", url); err != nil {
		return err
	}
	if o.fixtures != nil {
		if err := server.Register(ctx, o.fixtures); err != nil {
			return err
		}
	}
	var err error
	o.config.Keys = server.Keys()
	switch {
	case o.seed:
		err = seed(ctx, out, server, o.config, url)
	case o.fixtures != nil && len(o.config.Keys) > 0:
		err = export(out, o.config, url, nil)
	}
	if err == nil {
		_, err = fmt.Fprintln(out, "ready")
	}
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
	seeded, err := server.Seed(ctx, config.Keys[0].Workspaces[0]) // If it is seeded already, this returns the existing objects.
	if err != nil {
		return err
	}
	return export(out, config, url, [][2]string{
		{"TF_VAR_listener_id", seeded.ListenerID},
		{"TF_VAR_k8s_namespace", seeded.K8sNamespaces[0]},
		{"TF_VAR_integration_id", seeded.IntegrationID},
	})
}

// export prints the variables with which the provider uses the server with its first key, and more variables.
func export(out io.Writer, config devserver.Config, url string, more [][2]string) error {
	variables := append([][2]string{
		{"AGENTPLANE_BASE_URL", url},
		{"AGENTPLANE_API_KEY", config.Keys[0].Value},
		{"AGENTPLANE_WORKSPACE_ID", config.Keys[0].Workspaces[0]},
	}, more...)
	if config.Dialect != nil {
		variables = append(variables, [2]string{"AGENTPLANE_DIALECT", config.Dialect.Name})
	}
	for _, variable := range variables {
		if _, err := fmt.Fprintf(out, "export %s=%s\n", variable[0], shellQuoted(variable[1])); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out, "# The web UI at", url, "asks for the AGENTPLANE_API_KEY above.")
	return err
}

// shellQuoted returns value as one word of a POSIX shell.
func shellQuoted(value string) string { return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" }

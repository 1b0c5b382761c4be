package main

import (
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// logOptions say what is logged, and how. The zero value is text with all but debug messages.
type logOptions struct {
	json  bool
	level *slog.Level
}

// levels are those of messages, by the names in options.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "access": devserver.LevelAccess, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// levelNames and formats are listed in the order of the help.
var (
	levelNames = []string{"debug", "access", "info", "warn", "error"}
	formats    = []string{"text", "json"}
)

func (o *logOptions) setLevel(name string) error {
	level, known := levels[name]
	if !known {
		return errors.New("use one of " + strings.Join(levelNames, ", "))
	}
	o.level = &level
	return nil
}

func (o *logOptions) setFormat(name string) error {
	if !slices.Contains(formats, name) {
		return errors.New("use one of " + strings.Join(formats, ", "))
	}
	o.json = name == "json"
	return nil
}

func (o *logOptions) logger(to io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: devserver.LevelAccess, ReplaceAttr: nameLevel}
	if o.level != nil {
		options.Level = *o.level
	}
	if o.json {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// nameLevel gives the level of requests its name.
func nameLevel(groups []string, a slog.Attr) slog.Attr {
	if level, is := a.Value.Any().(slog.Level); is && len(groups) == 0 && a.Key == slog.LevelKey && level == devserver.LevelAccess {
		a.Value = slog.StringValue("ACCESS")
	}
	return a
}

package process

import (
	"cmp"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// gcPercent replaces the runtime's default of 100. A plan allocates gigabytes and keeps little of it, so the garbage collector takes a fifth of
// the CPU time at the default, and less than a tenth at 400. The heap may then grow to five times what is live: a plan of 300 deployments, or
// of 1,000 listeners, takes 90 MB.
const gcPercent = 400

// Configure sets defaults for this process. The environment takes precedence.
func Configure(debugger bool) error {
	if usesDefaultGC(os.Getenv) {
		debug.SetGCPercent(gcPercent)
	}
	if debugger {
		// The CLI attaches to this process later. Its TF_LOG doesn't reach it, and it doesn't filter its log lines.
		return nil
	}
	for name, level := range logLevels(os.Getenv) {
		if err := os.Setenv(name, level); err != nil {
			return err
		}
	}
	return nil
}

// usesDefaultGC reports whether the environment leaves the garbage collector to the program.
func usesDefaultGC(getenv func(string) string) bool {
	return getenv("GOGC") == "" && getenv("GOMEMLIMIT") == ""
}

// logLevels returns the variables to set so that no log line is formatted only to be dropped. Unless they are set, the
// SDK writes every line to standard error, down to TRACE, and the CLI drops those below its own level. That level is
// therefore the default of both. TF_LOG_SDK in turn is the default of TF_LOG_SDK_PROTO and TF_LOG_SDK_FRAMEWORK.
func logLevels(getenv func(string) string) map[string]string {
	levels := map[string]string{}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER_AGENTPLANE"} {
		if getenv(name) == "" {
			levels[name] = cliLogLevel(getenv)
		}
	}
	return levels
}

// cliLogLevel returns the level from which the CLI shows a provider's log lines. The CLI passes its environment on to its
// plugins, and this function reads it as the CLI does: TF_LOG_PROVIDER overrides TF_LOG, and any value that is not a level
// means TRACE, as does JSON. TF_LOG_CORE doesn't apply to providers, and TF_LOG_PATH only redirects the output.
func cliLogLevel(getenv func(string) string) string {
	if getenv("TF_TEMP_LOG_PATH") != "" {
		return "TRACE" // The CLI writes every line to this file, whatever its level.
	}
	level := strings.ToUpper(cmp.Or(getenv("TF_LOG_PROVIDER"), getenv("TF_LOG"), "OFF"))
	if !slices.Contains([]string{"DEBUG", "INFO", "WARN", "ERROR", "OFF"}, level) {
		return "TRACE"
	}
	return level
}

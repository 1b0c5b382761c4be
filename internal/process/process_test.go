package process

import (
	"maps"
	"os"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// environment is a made-up environment of the process.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

func TestLogLevels(t *testing.T) {
	t.Parallel()
	both := func(level string) map[string]string {
		return map[string]string{"TF_LOG_SDK": level, "TF_LOG_PROVIDER_AGENTPLANE": level}
	}
	for name, tc := range map[string]struct {
		env  environment
		want map[string]string
	}{
		"nothing asked":              {nil, both("OFF")},
		"empty":                      {environment{"TF_LOG": "", "TF_LOG_PROVIDER": ""}, both("OFF")},
		"core only":                  {environment{"TF_LOG_CORE": "TRACE"}, both("OFF")},
		"a file, but no level":       {environment{"TF_LOG_PATH": "trace.log"}, both("OFF")},
		"off":                        {environment{"TF_LOG": "off"}, both("OFF")},
		"OFF":                        {environment{"TF_LOG": "OFF"}, both("OFF")},
		"provider off":               {environment{"TF_LOG": "TRACE", "TF_LOG_PROVIDER": "off"}, both("OFF")},
		"trace":                      {environment{"TF_LOG": "TRACE"}, both("TRACE")},
		"lower case":                 {environment{"TF_LOG": "debug"}, both("DEBUG")},
		"info":                       {environment{"TF_LOG": "INFO"}, both("INFO")},
		"warn":                       {environment{"TF_LOG": "WARN"}, both("WARN")},
		"error":                      {environment{"TF_LOG": "ERROR"}, both("ERROR")},
		"JSON":                       {environment{"TF_LOG": "JSON"}, both("TRACE")},
		"json":                       {environment{"TF_LOG": "json"}, both("TRACE")},
		"no level":                   {environment{"TF_LOG": "1"}, both("TRACE")},
		"no level, with white space": {environment{"TF_LOG": " off"}, both("TRACE")},
		"provider":                   {environment{"TF_LOG_PROVIDER": "TRACE"}, both("TRACE")},
		"provider in JSON":           {environment{"TF_LOG_PROVIDER": "JSON"}, both("TRACE")},
		"provider below the CLI":     {environment{"TF_LOG": "ERROR", "TF_LOG_PROVIDER": "debug"}, both("DEBUG")},
		"provider above the CLI":     {environment{"TF_LOG": "JSON", "TF_LOG_PROVIDER": "WARN"}, both("WARN")},
		"a file for every line":      {environment{"TF_LOG": "ERROR", "TF_TEMP_LOG_PATH": "trace.log"}, both("TRACE")},
		"SDK":                        {environment{"TF_LOG_SDK": "TRACE"}, map[string]string{"TF_LOG_PROVIDER_AGENTPLANE": "OFF"}},
		"SDK below the CLI":          {environment{"TF_LOG": "TRACE", "TF_LOG_SDK": "WARN"}, map[string]string{"TF_LOG_PROVIDER_AGENTPLANE": "TRACE"}},
		"SDK's protocol":             {environment{"TF_LOG_SDK_PROTO": "TRACE"}, both("OFF")},
		"SDK's framework":            {environment{"TF_LOG": "INFO", "TF_LOG_SDK_FRAMEWORK": "off"}, both("INFO")},
		"this provider":              {environment{"TF_LOG_PROVIDER_AGENTPLANE": "INFO"}, map[string]string{"TF_LOG_SDK": "OFF"}},
		"another provider":           {environment{"TF_LOG_PROVIDER_RANDOM": "TRACE"}, both("OFF")},
		"everything the SDK's way":   {environment{"TF_LOG_SDK": "off", "TF_LOG_PROVIDER_AGENTPLANE": "TRACE"}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, logLevels(tc.env.get)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestConfigure can't run in parallel: it changes the process.
func TestConfigure(t *testing.T) {
	quiet := environment{"TF_LOG_SDK": "OFF", "TF_LOG_PROVIDER_AGENTPLANE": "OFF"}
	for name, tc := range map[string]struct {
		debugger bool
		env      environment
		gc       int
		logs     environment
	}{
		"defaults":            {false, nil, gcPercent, quiet},
		"debugger":            {true, nil, gcPercent, nil},
		"tuned":               {false, environment{"GOGC": "50"}, 100, quiet},
		"collection off":      {false, environment{"GOGC": "off"}, 100, quiet},
		"memory limit":        {false, environment{"GOMEMLIMIT": "512MiB"}, 100, quiet},
		"levels of the SDK's": {false, environment{"TF_LOG_SDK": "INFO"}, gcPercent, environment{"TF_LOG_SDK": "INFO", "TF_LOG_PROVIDER_AGENTPLANE": "OFF"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(100))
			for _, name := range []string{
				"GOGC", "GOMEMLIMIT", "TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_AGENTPLANE", "TF_LOG_SDK", "TF_TEMP_LOG_PATH",
			} {
				t.Setenv(name, tc.env[name])
			}
			if err := Configure(tc.debugger); err != nil {
				t.Fatal(err)
			}
			logs := environment{"TF_LOG_SDK": os.Getenv("TF_LOG_SDK"), "TF_LOG_PROVIDER_AGENTPLANE": os.Getenv("TF_LOG_PROVIDER_AGENTPLANE")}
			maps.DeleteFunc(logs, func(_, level string) bool { return level == "" })
			if diff := cmp.Diff(tc.logs, logs, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if got := debug.SetGCPercent(100); got != tc.gc {
				t.Errorf("garbage collection at %d %%, want %d %%", got, tc.gc)
			}
		})
	}
}

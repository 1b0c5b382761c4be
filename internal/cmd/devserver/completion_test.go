package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// completers run the completion script $1 for the words after it, and print the completions of the last word. zsh
// completes only in a terminal: there, the words contain tabs, and it prints the completed words.
var completers = map[string]string{
	"bash": `. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_agentplane_devserver 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"`,
	"fish": `source $argv[1]; complete -C "$argv[2..]" | string replace -r '\t.*' ''; true`,
	"zsh": `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; devserver() { print 'completed:' \$@ ':ended'; }; . '$1'; print set'ting 'up"
zpty -r shell line '*setting up*'
zpty -w -n shell "${(j: :)@[2,-1]}"$'\n'
zpty -r shell line '*:ended*'
print -r -- ${${line#*completed: }% :ended*}`,
}

// completions are the words of a command line, and the completions of the last one.
type completions []struct{ words, want []string }

// TestCompletion runs the scripts that -completion prints: the shells complete options and their values.
func TestCompletion(t *testing.T) {
	t.Parallel()
	some := completions{
		{[]string{"-dia"}, []string{"-dialect"}},
		{[]string{"-dialect", "l"}, []string{"langsmith"}},
		{[]string{"-seed", "-completion", "fi"}, []string{"fish"}},
		{[]string{"-data", "pl"}, []string{"plane.db"}},
		{[]string{"-host", "no"}, nil},
	}
	for shell, lines := range map[string]completions{
		"fish": some,
		"bash": append(completions{{[]string{"-dialect", "="}, []string{"neutral", "langsmith"}}}, some...),
		"zsh": {{
			[]string{"-dia\tl\t-completion", "fi\t-data", "pl\t-host", "no\t"},
			[]string{"-dialect", "langsmith", "-completion", "fish", "-data", "plane.db", "-host", "no"},
		}},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(shell)
			switch {
			case err != nil && (shell == "bash" || os.Getenv("AGENTPLANE_TEST_SHELLS") != ""):
				t.Fatal(err)
			case err != nil:
				t.Skipf("%s is not installed", shell)
			}
			directory := t.TempDir()
			var script bytes.Buffer
			if err := writeCompletion(&script, shell, "devserver", new(options).flags(nil, new(bool))); err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string][]byte{"completion": script.Bytes(), "plane.db": nil} {
				if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, line := range lines {
				arguments := []string{"-c", completers[shell]}
				if shell != "fish" {
					arguments = append(arguments, "test") // $0
				}
				arguments = append(arguments, "./completion", "devserver")
				complete := exec.CommandContext(t.Context(), program, append(arguments, line.words...)...)
				complete.Dir = directory
				output, err := complete.CombinedOutput()
				if diff := cmp.Diff(line.want, strings.Fields(string(output)), cmpopts.EquateEmpty()); err != nil || diff != "" {
					t.Errorf("%q: %v (-want +got):\n%s", line.words, err, diff)
				}
			}
		})
	}
}

// TestCompletion_printed checks that the command prints scripts only for the shells that its help lists.
func TestCompletion_printed(t *testing.T) {
	t.Parallel()
	for _, shell := range shellNames() {
		var stdout bytes.Buffer
		if err := run(t.Context(), []string{"-completion", shell}, &stdout, io.Discard); err != nil || !strings.Contains(stdout.String(), "report-defaults") {
			t.Errorf("%s: error = %v, want a script with report-defaults:\n%s", shell, err, &stdout)
		}
	}
	err := run(t.Context(), []string{"-completion", "tcsh"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "use one of bash, fish, zsh") {
		t.Errorf("tcsh: error = %v, want one that lists the shells", err)
	}
}

// TestVersionOf checks that a command built by go install has the version of the module.
func TestVersionOf(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{"v0.2.0": "0.2.0", "(devel)": "dev", "": "dev"} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: module}}, true); got != want {
			t.Errorf("versionOf(%q) = %s, want %s", module, got, want)
		}
	}
}

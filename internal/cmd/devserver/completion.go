package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// shells maps the shells with completion to their templates.
var shells = map[string]*template.Template{
	"bash": template.Must(template.New("bash").Funcs(shellFuncs).Parse(bashCompletion)),
	"zsh":  template.Must(template.New("zsh").Funcs(shellFuncs).Parse(zshCompletion)),
	"fish": template.Must(template.New("fish").Funcs(shellFuncs).Parse(fishCompletion)),
}

var shellFuncs = template.FuncMap{"join": strings.Join, "zsh": zshQuoted, "fish": fishQuoted}

// completed is an option in the completion of a shell.
type completed struct {
	Name, Usage string
	// Value is the name of the option's value. It is empty for a switch.
	Value string
	// Words are the possible values, and Files says that the value is a file name.
	Words    []string
	Files    bool
	Repeated bool
}

// writeCompletion prints the script that completes the options of the command in a shell.
func writeCompletion(out io.Writer, shell, command string, flags *flag.FlagSet) error {
	var options []completed
	flags.VisitAll(func(f *flag.Flag) {
		option := completed{Name: f.Name, Repeated: slices.Contains([]string{"api-key", "host", "user"}, f.Name)}
		option.Value, option.Usage = flag.UnquoteUsage(f)
		switch f.Name {
		case "completion":
			option.Words = shellNames()
		case "dialect":
			option.Words = []string{"neutral", "langsmith"}
		case "log-format":
			option.Words = formats
		case "log-level":
			option.Words = levelNames
		case "data", "fixtures", "seal-key", "tls-cert", "tls-key":
			option.Files = true
		}
		options = append(options, option)
	})
	return shells[shell].Execute(out, map[string]any{"Command": command, "Options": options})
}

func shellNames() []string { return slices.Sorted(maps.Keys(shells)) }

// parseShell validates the name of a shell.
func parseShell(name string) (string, error) {
	if shells[name] == nil {
		return "", fmt.Errorf("use one of %s", strings.Join(shellNames(), ", "))
	}
	return name, nil
}

// zshQuoted escapes special characters in a specification of _arguments, within single quotes.
func zshQuoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`, "'", `'\''`).Replace(text)
}

// fishQuoted escapes a string within single quotes.
func fishQuoted(text string) string { return strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) }

// An equals sign is a word of its own in bash: -dialect=neutral is three.
const bashCompletion = `_agentplane_devserver() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $current == = ]]; then
		current=
	elif [[ $previous == = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	case ${previous/#--/-} in
{{- range .Options}}{{if .Words}}
	-{{.Name}}) mapfile -t COMPREPLY < <(compgen -W '{{join .Words " "}}' -- "$current") ;;
{{- else if .Files}}
	-{{.Name}})
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		;;
{{- else if .Value}}
	-{{.Name}}) ;;
{{- end}}{{end}}
	*) mapfile -t COMPREPLY < <(compgen -W '{{range $i, $option := .Options}}{{if $i}} {{end}}-{{.Name}}{{end}}' -- "${current/#--/-}") ;;
	esac
}
complete -F _agentplane_devserver {{.Command}}
`

const zshCompletion = `#compdef {{.Command}}
_agentplane_devserver() {
	_arguments
{{- range .Options}} \
		'{{if .Repeated}}*{{end}}-{{.Name}}[{{zsh .Usage}}]
{{- if .Value}}:{{zsh .Value}}:{{if .Words}}({{join .Words " "}}){{else if .Files}}_files{{end}}{{end}}'
{{- end}}
}
if [ "$funcstack[1]" = _agentplane_devserver ]; then
	_agentplane_devserver "$@"
else
	compdef _agentplane_devserver {{.Command}}
fi
`

const fishCompletion = `complete -c {{.Command}} -f
{{- range .Options}}
complete -c {{$.Command}} -o {{.Name}}{{if .Files}} -r -F{{else if .Value}} -x{{end}}
{{- if .Words}} -a '{{join .Words " "}}'{{end}} -d '{{fish .Usage}}'
{{- end}}
`

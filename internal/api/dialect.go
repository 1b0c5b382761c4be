package api

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Dialect is what differs between control planes that offer the same service: the words on the wire, and some
// behaviour. Everything else in this module uses neutral words; a Dialect is applied to bytes that are sent and received.
type Dialect struct {
	// Name is the name that users configure.
	Name  string
	words []word
	Behavior
	// Product is nil if nothing is known about installations.
	Product *Product
}

// Behavior is what a control plane does differently, apart from words.
type Behavior struct {
	// LangSmithAPI: the fields tagged `dialect:"extended"` and the values of ExtendedSources and ExtendedDeploymentTypes exist.
	LangSmithAPI bool
	// KeepsLastSecret: an empty list of secrets in a patch changes nothing.
	KeepsLastSecret bool
	// RequiresResourceSpec: an external container needs a resource_spec, which may be {}.
	RequiresResourceSpec bool
	// RequiresBuildOnPush: a repository needs a build_on_push, and every deployment in the cloud a deployment_type.
	RequiresBuildOnPush bool
	// CommandsMakeRevision: install_command and build_command in a patch make a revision.
	CommandsMakeRevision bool
	// ShowsCreating: a new revision is CREATING before it is QUEUED.
	ShowsCreating bool
	// ResolvesRepoRef: repo_ref is returned as the built commit, image_uri as the built image, and the branch as
	// source_config.repo_branch.
	ResolvesRepoRef bool
	// HidesSettings: listener_config, install_command and build_command are not returned.
	HidesSettings bool
	// EchoesDefaults: a deployment of an image is returned with the deployment_type and the build_on_push that are the defaults of a
	// repository.
	EchoesDefaults bool
	// FractionalCPU: fractions of cores are accepted, not only whole ones.
	FractionalCPU bool
	// FillsResourceSpec: resource_spec is returned with undocumented defaults, so the requested values can't be distinguished.
	FillsResourceSpec bool
	// ListsWhole: integrations, repositories and OAuth providers are returned all at once, without pagination.
	ListsWhole bool
	// ProjectsBlockNames: a tracing project prevents a deployment of the same name from being created, even if the project was left by a
	// deleted deployment.
	ProjectsBlockNames bool
	// ScalableName is the maximum length of an external container's name for its autoscaler to work; zero means no limit.
	ScalableName int
	// ReservesVariables: ReservedVariables can't be set.
	ReservesVariables bool
}

// Neutral is the dialect of the specification.
var Neutral = &Dialect{Name: "neutral"}

// LangSmith is the dialect of LangSmith Deployment, in the cloud and self-hosted.
var LangSmith = &Dialect{
	Name:    "langsmith",
	words:   langSmithWords,
	Product: langSmithProduct,
	Behavior: Behavior{
		LangSmithAPI:         true,
		KeepsLastSecret:      true,
		RequiresResourceSpec: true,
		RequiresBuildOnPush:  true,
		CommandsMakeRevision: true,
		ShowsCreating:        true,
		ResolvesRepoRef:      true,
		HidesSettings:        true,
		EchoesDefaults:       true,
		FractionalCPU:        true,
		FillsResourceSpec:    true,
		ListsWhole:           true,
		ProjectsBlockNames:   true,
		ScalableName:         21,
		ReservesVariables:    true,
	},
}

// Dialects lists every Dialect; the first is the default.
var Dialects = []*Dialect{Neutral, LangSmith}

// DialectNames returns the names of Dialects.
func DialectNames() []string {
	names := make([]string, len(Dialects))
	for i, d := range Dialects {
		names[i] = d.Name
	}
	return names
}

// ParseDialect returns the dialect with that name. Empty means the default.
func ParseDialect(name string) (*Dialect, error) {
	for _, d := range Dialects {
		if d.Name == name || name == "" {
			return d, nil
		}
	}
	return nil, fmt.Errorf("dialect %q is unknown: use one of %s", name, strings.Join(DialectNames(), ", "))
}

// place is the location of a word on the wire. The same letters elsewhere are user data.
type place string

const (
	sourceValue    place = "value of source and revision_source"
	revisionField  place = "field of source_revision_config"
	resourceField  place = "field of resource_spec"
	integrationURL place = "segment after /v1/integrations"
)

// word is a term that has another name on the wire.
type word struct {
	neutral, wire string
	places        []place
}

var langSmithWords = []word{
	{"git_host", "github", []place{sourceValue, integrationURL}},
	{"external_container", "external_docker", []place{sourceValue}},
	{"internal_container", "internal_docker", []place{sourceValue}},
	{"graph_config_path", "langgraph_config_path", []place{revisionField}},
	{"cache_cpu", "redis_cpu", []place{resourceField}},
	{"cache_cpu_limit", "redis_cpu_limit", []place{resourceField}},
	{"cache_memory_mb", "redis_memory_mb", []place{resourceField}},
	{"cache_memory_limit_mb", "redis_memory_limit_mb", []place{resourceField}},
}

// IsExtension reports whether only dialects with the LangSmithAPI have a field.
func IsExtension(field reflect.StructField) bool { return field.Tag.Get("dialect") == "extended" }

// swap translates text: neutral words become the wire's, and the wire's become neutral. It swaps rather
// than replaces, so that a word that this control plane doesn't know stays unknown on the other side.
func (d *Dialect) swap(text string, at place) string {
	for _, w := range d.words {
		for _, p := range w.places {
			switch {
			case p != at:
			case text == w.neutral:
				return w.wire
			case text == w.wire:
				return w.neutral
			}
		}
	}
	return text
}

// SourceNames returns the names of all sources on the wire, Sources first.
func (d *Dialect) SourceNames() []string {
	var names []string
	for _, source := range slices.Concat(Sources, ExtendedSources) {
		names = append(names, d.swap(string(source), sourceValue))
	}
	return names
}

// Path translates the path of a request, which may have a prefix, in either direction: it is its own inverse.
func (d *Dialect) Path(path string) string {
	const before = "/v1/integrations/"
	prefix, rest, found := strings.Cut(path, before)
	app := ""
	if tail, is := strings.CutPrefix(rest, "forge/"); is { // In its paths, the git host is one segment later.
		app, rest = "forge/", tail
	}
	if !found {
		return path
	}
	segment, tail, more := strings.Cut(rest, "/")
	segment = d.swap(segment, integrationURL)
	if more {
		segment += "/" + tail
	}
	return prefix + before + app + segment
}

// Text replaces neutral words with the wire's. The text must not contain user data, in which the same word could occur.
func (d *Dialect) Text(text string) string {
	pairs := make([]string, 0, 2*len(d.words))
	for i := range d.words {
		w := d.words[len(d.words)-1-i] // A longer word comes after its prefix.
		pairs = append(pairs, w.neutral, w.wire)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// shape describes where words occur in a JSON object.
type shape struct {
	values map[string]place  // Fields whose value is a word.
	keys   place             // The place of the names of the fields.
	fields map[string]*shape // Fields with an object or a list of objects.
	// loc means that this is the location of a validation error, which is a path through bodyShape.
	loc bool
}

// bodyShape is the shape of every body: a deployment, a revision, a request, a list of them, or a validation error. Their
// fields have the same meaning wherever they occur.
var bodyShape = func() *shape {
	body := &shape{values: map[string]place{"source": sourceValue, "revision_source": sourceValue}}
	body.fields = map[string]*shape{
		"source_config":          {fields: map[string]*shape{"resource_spec": {keys: resourceField}}},
		"source_revision_config": {keys: revisionField},
		"resources":              body,
		"detail":                 {fields: map[string]*shape{"loc": {loc: true}}},
	}
	return body
}()

// Body translates the body of a request or a response in either direction: it is its own inverse. Only words change;
// every other byte stays the same, and so does a body that isn't JSON or has words deeper than MaxDepth.
func (d *Dialect) Body(body []byte) []byte {
	if len(d.words) == 0 {
		return body
	}
	t := translation{dialect: d, in: body, tokens: jsontext.NewDecoder(bytes.NewBuffer(body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if err := t.value(bodyShape); err != nil || t.copied == 0 {
		return body
	}
	return append(t.out, body[t.copied:]...)
}

// translation is one pass over a body.
type translation struct {
	dialect *Dialect
	in, out []byte
	copied  int               // The number of bytes of in that are in out.
	depth   int               // Of the value that is translated.
	tokens  *jsontext.Decoder // It reads in without a copy, which a json.Decoder makes.
}

// errDepth stops a translation before it exhausts the stack.
var errDepth = fmt.Errorf("nested more than %d levels deep", MaxDepth)

// value translates the next value.
func (t *translation) value(s *shape) error {
	if t.depth++; t.depth > MaxDepth {
		return errDepth
	}
	defer func() { t.depth-- }()
	switch t.tokens.PeekKind() {
	case '{':
		return t.object(s)
	case '[':
		return t.list(s)
	default:
		return t.tokens.SkipValue()
	}
}

func (t *translation) object(s *shape) error {
	if _, err := t.tokens.ReadToken(); err != nil {
		return err
	}
	for t.tokens.PeekKind() != '}' {
		key, err := t.text(s.keys)
		if err == nil {
			err = t.field(s, key)
		}
		if err != nil {
			return err
		}
	}
	_, err := t.tokens.ReadToken()
	return err
}

func (t *translation) field(s *shape, key string) error {
	if inner := s.fields[key]; inner != nil {
		return t.value(inner)
	}
	if at := s.values[key]; at != "" && t.tokens.PeekKind() == '"' {
		_, err := t.text(at)
		return err
	}
	return t.tokens.SkipValue()
}

func (t *translation) list(s *shape) error {
	if _, err := t.tokens.ReadToken(); err != nil {
		return err
	}
	at := bodyShape
	for t.tokens.PeekKind() != ']' {
		if !s.loc {
			if err := t.value(s); err != nil {
				return err
			}
			continue
		}
		if at == nil || t.tokens.PeekKind() != '"' {
			if err := t.tokens.SkipValue(); err != nil {
				return err
			}
			continue
		}
		key, err := t.text(at.keys)
		if err != nil {
			return err
		}
		if key != "body" { // The first step is the part of the request: "body", "query" or "path".
			at = at.fields[key]
		}
	}
	_, err := t.tokens.ReadToken()
	return err
}

// text reads a text, and replaces it with the other language's word if it is one at this place.
func (t *translation) text(at place) (string, error) {
	before := t.tokens.InputOffset()
	token, err := t.tokens.ReadToken()
	if err != nil {
		return "", err
	}
	text := token.String()
	if other := t.dialect.swap(text, at); other != text {
		// Between two values there are only spaces and punctuation.
		start := int(before) + bytes.IndexByte(t.in[before:], '"')
		t.out = append(append(t.out, t.in[t.copied:start]...), `"`+other+`"`...)
		t.copied = int(t.tokens.InputOffset())
	}
	return text, nil
}

// Product describes the installations of a service, in addition to its API.
type Product struct {
	// VariablePrefix is the prefix of the environment variables that the product's own tools read.
	VariablePrefix string
	// ControlPlane, Tracing and UI are the hosts of its cloud, without the prefix of a region.
	ControlPlane, Tracing, UI string
	// Regions are the prefixes by name of the region.
	Regions map[string]string
	// Aliases are further hosts of the tracing API, in the region without a prefix.
	Aliases []string
	// ProfileFile is the path below the home directory at which the product's own tools keep profiles, and Login the command of theirs
	// that logs in.
	ProfileFile, Login string
}

var langSmithProduct = &Product{
	VariablePrefix: "LANGSMITH_",
	ControlPlane:   "api.host.langchain.com",
	Tracing:        "api.smith.langchain.com",
	UI:             "smith.langchain.com",
	Regions:        map[string]string{"us": "", "eu": "eu.", "apac": "apac.", "aws-us": "aws."},
	Aliases:        []string{"api.langchain.com", "xapi.smith.langchain.com"},
	ProfileFile:    ".langsmith/config.json",
	Login:          "langsmith auth login",
}

// RegionOf returns the prefix of the region of a cloud host, which may be newer than Regions, or false if it isn't a host of the
// cloud.
func (p *Product) RegionOf(host string) (string, bool) {
	if p == nil {
		return "", false
	}
	host = strings.ToLower(host)
	if slices.Contains(p.Aliases, host) {
		return "", true
	}
	for _, suffix := range []string{p.ControlPlane, p.Tracing, p.UI} { // UI is a suffix of Tracing.
		prefix, found := strings.CutSuffix(host, suffix)
		if found && (prefix == "" || strings.HasSuffix(prefix, ".")) {
			return prefix, true
		}
	}
	return "", false
}

package part

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

//go:embed forms.txt
var table string

type form struct {
	path []string // path leads to the object that a part without a type consists of
	// is tells the form apart from others of the same type; nil if it fits all.
	is shape.Shape
	to string // the type of the block; if it is empty, it follows from the media type
	// members are pairs: a member of the part, and what Block.Take is to read it as; ignored are read by being there.
	members, ignored []string
	// within is a member that contains inner members.
	within string
	inner  []string
	fixed  []string // pairs, too: a field, and the text that it has unless it has been read
	keep   string   // an extra that distinguishes the block from others of its type: keepType for the part's own type, or a flag
	// takes read what members can't express, and return the members that they have read.
	takes  []func(*document.Block, rawjson.Object) []string
	spread []string // members that are arguments, each by itself; nil if arguments are in one member
	// result is a member with the result of a call, which becomes a block of its own, and resultType the type of that if it is media.
	result, resultType string
}

// Extras that distinguish blocks.
const (
	keepType    = "type"
	KeepRefusal = "refusal" // the flag of a text that is a refusal
)

// forms are those of each type of part, and untyped those of parts without a type; the first that fits counts. For a type that the
// normal form has too, none may fit a block of the normal form: each tells itself apart by a member that such a block doesn't have.
// answers are the answers of tools that the client has executed, which are messages of their own: the member with the ID of the call,
// and those that may have the output.
var forms, untyped, answers = read(table)

// read reads the table, which explains itself.
func read(table string) (typed map[string][]form, bare []form, results map[string][]string) {
	typed, results = map[string][]form{}, map[string][]string{}
	for w := range texttable.Rows(table) {
		switch arrow := slices.Index(w, "->"); {
		case w[1] == "=>":
			results[w[0]] = w[2:]
		case w[0][0] == '.':
			f := newForm(w[1:arrow], w[arrow+1], w[arrow+2:])
			f.path = strings.FieldsFunc(w[0], func(r rune) bool { return r == '.' })
			bare = append(bare, f)
		default:
			typed[w[0]] = append(typed[w[0]], newForm(w[1:arrow], w[arrow+1], w[arrow+2:]))
		}
	}
	return typed, bare, results
}

// Members of parts that other packages write, too, and those of media in any form but that of the normal form.
var (
	mediaMembers      = membersNamed("$media")
	FileMembers       = membersNamed("$file")
	URLMembers        = membersNamed("$url")
	InputAudioMembers = membersNamed("$input_audio")
	FunctionMembers   = membersNamed("$function")
	CustomMembers     = membersNamed("$custom")
)

// membersNamed returns the pairs of members that have a name in the table.
func membersNamed(name string) (pairs []string) {
	for _, word := range texttable.Words(table, name) {
		member, field, ok := strings.Cut(word, "=")
		if !ok {
			field = member
		}
		pairs = append(pairs, member, field)
	}
	return pairs
}

func newForm(conditions []string, to string, members []string) form {
	f := form{to: strings.TrimPrefix(to, "media")}
	if len(conditions) > 0 {
		f.is = shape.All(conditions)
	}
	list := &f.members
	for _, word := range members {
		name, field, ok := strings.Cut(word, "=")
		what, name, isOther := strings.Cut(name, ":")
		switch {
		case what == "keep":
			f.keep = cmp.Or(name, keepType)
		case what == "texts":
			f.takes = append(f.takes, joined(name, field, "\n"))
		case what == "pieces":
			f.takes = append(f.takes, joined(name, field, ""))
		case what == "by":
			f.takes = append(f.takes, takers[name])
		case what == "spread":
			f.spread = strings.Split(name, ",")
			f.takes = append(f.takes, arguments(f.spread))
		case what == "apart":
			f.result, f.resultType = name, field
		case what == "set":
			f.fixed = append(f.fixed, name, field)
		case isOther:
			f.within, list = name, &f.inner
		case what[0] == '-':
			f.ignored = append(f.ignored, what[1:])
		case ok:
			*list = append(*list, what, field)
		default:
			*list = append(*list, what, what)
		}
	}
	return f
}

// typeKeys are the members with the type of a part: LlamaIndex and Pydantic AI have their own.
var typeKeys = []string{"type", "block_type", "part_kind", "kind"}

// kindOf returns the type of a part, and the member that it is in.
func kindOf(o rawjson.Object) (kind, key string) {
	for _, key := range typeKeys {
		if kind, ok := o.Text(key); ok {
			return kind, key
		}
	}
	return "", ""
}

// The ends of the types of calls and results of tools that a server executes. Servers often get new tools, so their types are
// recognized by them.
const (
	SuffixToolUse    = "_tool_use"
	SuffixToolResult = "_tool_result"
	SuffixCall       = "_call"
)

// ends are the types in the table that stand for all with the same end, the last for any.
var ends = []string{"*" + SuffixToolUse, "*" + SuffixToolResult, "*" + SuffixCall, "*_result", "*"}

// findForm returns the form of a part with a type; nil if it has none but that of the normal form.
func findForm(o rawjson.Object, kind string) *form {
	if f := fitting(forms[kind], o); f != nil || BlockFields[kind] != nil || kind == "" {
		return f
	}
	i := slices.IndexFunc(ends, func(end string) bool { return strings.HasSuffix(kind, end[1:]) })
	return fitting(forms[ends[i]], o)
}

// fitting returns the first form that fits a part, nil if none does.
func fitting(forms []form, o rawjson.Object) *form {
	for i := range forms {
		if forms[i].fits(o, forms[i].path) {
			return &forms[i]
		}
	}
	return nil
}

// fits reports whether an object fits the form, or the one that the rest of the path leads to.
func (f *form) fits(o rawjson.Object, path []string) bool {
	if len(path) == 0 {
		return f.is == nil || f.is(o)
	}
	_, value := o.Find(path[0])
	if !rawjson.IsObject(value) || len(path) == 1 && f.is == nil {
		return rawjson.IsObject(value)
	}
	members := rawjson.Borrow()
	defer members.Return()
	members.Reuse(value)
	return f.fits(*members, path[1:])
}

// fill reads the members of an object into a block, and adds those that it has read to others.
func (f *form) fill(taken []string, b *document.Block, o rawjson.Object) []string {
	taken = append(taken, b.TakeMembers(o, f.members...)...)
	taken = append(taken, f.ignored...)
	if f.within != "" {
		taken = append(taken, b.TakeWithin(o, f.within, f.inner))
	}
	for _, take := range f.takes {
		taken = append(taken, take(b, o)...)
	}
	for pair := range slices.Chunk(f.fixed, 2) {
		b.Take(pair[0], rawjson.Quote(pair[1]))
	}
	if b.Type == "" {
		b.Type = mediaOf(b.MimeType)
	}
	return taken
}

// block reads a part. Members that the form doesn't read become extras.
func (f *form) block(b *document.Block, o rawjson.Object, kind, key string) {
	b.Type = f.to
	rest := o.Rest(f.fill(append(make([]string, 0, 8), key), b, o)...)
	switch {
	case kind == document.BlockText: // The normal form has such a part, too.
		b.Extras = Extras(rest)
	case b.Extras == nil:
		b.Extras = rest
	default:
		maps.Copy(b.Extras, rest)
	}
	switch { // The extra that distinguishes a block from others of its type, unless the part has a member of that name.
	case b.Extras[f.keep] != nil:
	case f.keep == keepType:
		b.Extras.Put(keepType, rawjson.Quote(kind))
	case f.keep != "":
		b.Extras.Put(f.keep, json.RawMessage("true"))
	}
}

// blockUntyped reads a part without a type. What stands inside of its object and beside it becomes extras alike.
func (f *form) blockUntyped(b *document.Block, o rawjson.Object) {
	b.Type = f.to
	members := rawjson.Borrow()
	defer members.Return()
	around := make([]document.Extras, 0, 2)
	for _, name := range f.path {
		key, value := o.Find(name)
		around = append(around, o.Rest(key, name))
		members.Reuse(value)
		o = *members
	}
	rest := o.Rest(f.fill(make([]string, 0, 8), b, o)...)
	if f.keep != "" {
		b.Extras.Put(document.KeyType, rawjson.Quote(f.path[0]))
	}
	if len(f.path) == 0 || f.to == "" {
		rest = rest.RemoveVoid()
	}
	document.AddBeside(&b.Extras, rest)
	for i, beside := range slices.Backward(around) {
		if i == 0 {
			beside = beside.RemoveVoid()
		}
		document.AddBeside(&b.Extras, beside)
	}
}

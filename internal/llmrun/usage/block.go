package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// path is where a value may be in a block: the names on the way, in any letter case, and with or without underscores. SDKs
// convert the names of the wire to camel case. Paths that begin with answer are those of the answer around the block, and with metadata
// those of the run's metadata, where names with dots are paths, too.
type path struct{ inner map[string]*path }

// root leads to all paths that count. They are known before any block is read, so reading one builds no names.
var (
	root       = &path{inner: map[string]*path{}}
	ofAnswer   = paths("answer")[0]
	inMetadata = paths("metadata")[0]
)

// paths returns the paths with some names, in which dots separate the names of members.
func paths(names ...string) []*path {
	all := make([]*path, len(names))
	for i, name := range names {
		at := root
		for key := range strings.SplitSeq(name, ".") {
			key = string(plain(nil, key))
			if at.inner[key] == nil {
				at.inner[key] = &path{inner: map[string]*path{}}
			}
			at = at.inner[key]
		}
		all[i] = at
	}
	return all
}

// to returns the path of a member, nil if nothing there counts. The name * stands for any other one.
func (p *path) to(key string) *path {
	if first, rest, nested := strings.Cut(key, "."); nested {
		if p = p.to(first); p == nil {
			return nil
		}
		return p.to(rest)
	}
	var buffer [64]byte
	if inner := p.inner[string(plain(buffer[:0], key))]; inner != nil {
		return inner
	}
	return p.inner["*"]
}

// plain appends a name without underscores in lower case, and with token for tokens, which some providers write in the middle of a name.
func plain(to []byte, name string) []byte {
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' && (c != 's' || !bytes.HasSuffix(to, []byte("token"))) {
			to = append(to, c)
		}
	}
	return to
}

// leaf is a value in a block, the location of what contains it, and its key there.
type leaf struct {
	path    *path
	raw     json.RawMessage
	at, key string
}

// text returns a word in lower case, without quotes.
func (l leaf) text() string { return strings.ToLower(strings.Trim(string(l.raw), `"`)) }

func (l leaf) invalid(what, remedy string) document.Problem {
	return document.Problem{Pointer: l.at + rawjson.Pointer(l.key), Rule: ruleProviderUsage,
		Message: l.key + " is " + rawjson.Show(l.raw) + ", " + what, Remedy: remedy}
}

// providerBlock is the usage in a provider's response.
type providerBlock struct {
	found
	// leaves are the values that may count. Elements of a list have the same paths, unless a modality or a lifetime tells them apart.
	leaves   []leaf
	problems []document.Problem
}

func newBlock(f found) *providerBlock {
	b := &providerBlock{found: f}
	if b.addMembers(f.Object, root, f.at); f.Object == nil {
		b.addAll(f.raw, root, f.at)
	}
	return b
}

func (b *providerBlock) addAll(raw json.RawMessage, p *path, at string) {
	members := rawjson.Borrow()
	defer members.Return()
	if members.Reuse(raw) {
		b.addMembers(*members, p, at)
	}
	list, _ := rawjson.ReadArray(raw)
	for i, o := range rawjson.Objects(list) {
		if !rawjson.IsObject(list[i]) && unitPaths[p] != nil {
			b.leaves = append(b.leaves, leaf{p, list[i], at, strconv.Itoa(i)})
		}
		modality, _ := o.Text("modality")
		lifetime, _ := o.Text("ttl")
		of := p
		if name := cmp.Or(modality, lifetime); name != "" {
			of = p.to(name)
		}
		if of != nil {
			b.addMembers(o, of, at+rawjson.Pointer(i))
		}
	}
}

func (b *providerBlock) addMembers(o rawjson.Object, p *path, at string) {
	seen := make([]*path, 0, 16) // Some gateways spell a name in two ways.
	for _, m := range o {
		inner := p.to(m.Key)
		if inner == nil || rawjson.IsNull(m.Value) || inner != p.inner["*"] && slices.Contains(seen, inner) {
			continue
		}
		if seen = append(seen, inner); rawjson.IsObject(m.Value) || rawjson.IsArray(m.Value) {
			b.addAll(m.Value, inner, at+rawjson.Pointer(m.Key))
		} else {
			b.leaves = append(b.leaves, leaf{inner, m.Value, at, m.Key})
		}
	}
}

// has reports whether some path has a value. Other providers that use the format of one fill in nulls.
func (b *providerBlock) has(paths []*path) bool {
	return slices.ContainsFunc(b.leaves, func(l leaf) bool { return slices.Contains(paths, l.path) })
}

// count returns the first positive count at the paths, or else 0; nil if none has one.
func (b *providerBlock) count(paths []*path) *int64 {
	var n *int64
	for _, path := range paths {
		for _, leaf := range b.leaves {
			if leaf.path != path {
				continue
			}
			if more := readTokens(leaf.raw); more != nil {
				n = plusTokens(n, more)
			} else {
				b.problems = append(b.problems, leaf.invalid("not a count of tokens", "write it as an integer, 0 or more"))
			}
		}
		if orZero(n) > 0 {
			break
		}
	}
	return n
}

func (b *providerBlock) amount(paths []*path) *decimal.Decimal {
	for _, path := range paths {
		for _, leaf := range b.leaves {
			if leaf.path != path {
				continue
			}
			if amount := readAmount(leaf.raw); amount != nil {
				return amount
			}
			b.problems = append(b.problems, leaf.invalid("not an amount", "write it as a number, 0 or more"))
		}
	}
	return nil
}

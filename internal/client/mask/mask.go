package mask

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// minSecretLength prevents values like "1" and "on" from masking parts of every message.
	minSecretLength = 4
	// fragmentLength is the length from which a fragment of a longer secret is masked too.
	fragmentLength = 8
	// Longest is the length of text that is searched. The rest is not quoted.
	Longest = 16 << 10
	// maxEncodings is the number of nested encodings of a secret: two, and the JSON of the response itself.
	maxEncodings = 3
)

type secretsKey struct{}

// With keeps values out of the errors of all requests with the context: a service may quote in a response what an earlier
// request contained.
func With(ctx context.Context, values ...string) context.Context {
	return context.WithValue(ctx, secretsKey{}, slices.Concat(Secrets(ctx), values))
}

// Secrets returns the secrets of a context.
func Secrets(ctx context.Context) []string {
	values, _ := ctx.Value(secretsKey{}).([]string)
	return values
}

// Text masks the context's secrets in a text that the service wrote.
func Text(ctx context.Context, text string) string { return New(Secrets(ctx)...)(text) }

// New returns a function that replaces secrets and fragments of them with "***", in all forms of the table.
func New(secrets ...string) func(string) string {
	build := sync.OnceValue(func() needles { return newNeedles(secrets) }) // Most responses are never quoted.
	return func(text string) string { return build().mask(text) }
}

// needles are the texts that reveal a secret, folded.
type needles struct {
	texts map[string]struct{}
	// lengths has the distinct lengths of texts.
	lengths []int
}

func newNeedles(secrets []string) needles {
	n := needles{texts: map[string]struct{}{}}
	for _, secret := range secrets {
		// Messages are reduced to one line before they are shown, and wrapping a long value adds white space.
		for _, form := range []string{secret, OneLine(secret)} {
			n.add(form)
		}
		if joined := strings.Map(dropSpace, secret); len(joined) >= fragmentLength {
			n.add(joined)
		}
	}
	return n
}

// public has words that occur in many values and messages. A part of them reveals nothing, and without them, messages would be
// hard to understand and to distinguish.
const public = "https:// postgresql:// localhost example.com registry langsmith agentplane workspace specification organization " +
	"deployment deployments environment listener listeners revision revisions integration repository container kubernetes " +
	"namespace variable variables resource database password production development required permission authorization"

func (n *needles) add(secret string) {
	if len(secret) < minSecretLength {
		return
	}
	secret = string(folded([]byte(secret)))
	n.put(secret)
	if strings.Contains(public, secret) {
		return
	}
	for i := 0; i+fragmentLength <= len(secret); i++ {
		if fragment := secret[i : i+fragmentLength]; !strings.Contains(public, fragment) {
			n.put(fragment)
		}
	}
}

func (n *needles) put(text string) {
	n.texts[text] = struct{}{}
	if !slices.Contains(n.lengths, len(text)) {
		n.lengths = append(n.lengths, len(text))
	}
}

// mask repeats until nothing is found, because the text around a replaced secret may have hidden another one.
func (n needles) mask(text string) string {
	if len(n.texts) == 0 {
		return text
	}
	if len(text) > Longest {
		text = strings.ToValidUTF8(text[:Longest], "") + "…"
	}
	for {
		found := n.find(text)
		if len(found) == 0 {
			return text
		}
		text = replaced(text, found)
	}
}

// find returns the places in text where any decoding shows a needle.
func (n needles) find(text string) []span {
	var found []span
	seen := map[string]bool{}
	reached := []layer{newLayer(text)}
	for encodings := 0; len(reached) > 0; encodings++ {
		var next []layer
		for _, l := range reached {
			found = append(found, n.in(l)...)
			if encodings == maxEncodings {
				continue
			}
			for _, decode := range decoders {
				if decoded, ok := decode(l); ok && !seen[decoded.key()] {
					seen[decoded.key()] = true
					next = append(next, decoded)
				}
			}
		}
		reached = next
	}
	return found
}

// in returns the places in the text that a layer was decoded from.
func (n needles) in(l layer) []span {
	var found []span
	text := folded(l.text)
	for i := 0; i+minSecretLength <= len(text); i++ {
		for _, length := range n.lengths {
			if l.joined && length < fragmentLength {
				continue // The end of a word plus the beginning of the next one is not a short secret.
			}
			if i+length <= len(text) {
				if _, ok := n.texts[string(text[i:i+length])]; ok {
					found = append(found, l.source(i, i+length))
				}
			}
		}
	}
	return found
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// layer is a text with some of its encodings decoded, and the origin of each byte. The decoders leave everything else unchanged: a
// secret can be surrounded by anything, and can be cut off anywhere.
type layer struct {
	text []byte
	at   []span
	// joined means that white space was dropped.
	joined bool
}

func newLayer(text string) layer {
	l := layer{text: []byte(text), at: make([]span, len(text))}
	for i := range l.at {
		l.at[i] = span{i, i + 1}
	}
	return l
}

// key identifies the layer.
func (l layer) key() string { return strconv.FormatBool(l.joined) + string(l.text) }

// source returns the origin of the bytes from i to before j.
func (l layer) source(i, j int) span { return span{l.at[i].from, l.at[j-1].to} }

// folded returns a text in which letters of different case are equal. Its length is that of the original.
func folded(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, length := utf8.DecodeRune(text)
		if lower := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(lower) == length {
			out = utf8.AppendRune(out, lower)
		} else {
			out = append(out, text[:length]...)
		}
		text = text[length:]
	}
	return out
}

// put appends the decoded form of the bytes from i to before j of another layer.
func (l *layer) put(decoded []byte, from layer, i, j int) {
	at := from.source(i, j)
	for _, b := range decoded {
		l.text, l.at = append(l.text, b), append(l.at, at)
	}
}

// replaced replaces overlapping and adjacent places with a single "***".
func replaced(text string, found []span) string {
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end := -1
	for _, at := range found {
		if at.from > end {
			b.WriteString(text[max(end, 0):at.from] + "***")
		}
		end = max(end, at.to)
	}
	b.WriteString(text[end:])
	return b.String()
}

// OneLine reduces a text to one line, without anything that could garble or colour the terminal.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// maxSnippet limits the quotation of an HTML error page to a line or two.
const maxSnippet = 300

// Snippet returns the beginning of a text of unknown origin, as OneLine does.
func Snippet(text string) string {
	runes := []rune(OneLine(text))
	if len(runes) <= maxSnippet {
		return string(runes)
	}
	return string(runes[:maxSnippet]) + "…"
}

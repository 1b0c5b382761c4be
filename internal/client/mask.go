package client

import (
	"context"
	"slices"
	"strings"
	"sync"
)

const (
	// minSecretLength keeps values like "1" and "on" from shredding every message.
	minSecretLength = 4
	// fragmentLength is how much of a longer secret gives it away: what is cut short, or shown in part, is masked too.
	fragmentLength = 8
	// maxMasked is how much of a text is searched. What comes after it is not quoted.
	maxMasked = 16 << 10
	// maxEncodings is how many encodings a secret may be wrapped in: two, and the JSON of the answer itself.
	maxEncodings = 3
)

type secretsKey struct{}

// WithSecrets keeps values out of the errors of all requests under the context: a service may quote in one answer what
// an earlier request carried.
func WithSecrets(ctx context.Context, values ...string) context.Context {
	return context.WithValue(ctx, secretsKey{}, slices.Concat(secretsIn(ctx), values))
}

func secretsIn(ctx context.Context) []string {
	values, _ := ctx.Value(secretsKey{}).([]string)
	return values
}

// Mask takes the context's secrets out of a text that the service wrote.
func Mask(ctx context.Context, text string) string { return newMask(secretsIn(ctx)...)(text) }

// newMask replaces secrets, and fragments of them, by "***", however they are encoded. Services echo their input in error
// messages, and Terraform prints those.
func newMask(secrets ...string) func(string) string {
	build := sync.OnceValue(func() needles { return newNeedles(secrets) }) // Most answers are not quoted.
	return func(text string) string { return build().mask(text) }
}

// needles are the texts that give a secret away.
type needles struct {
	texts map[string]struct{}
	// lengths of texts, each once.
	lengths []int
}

func newNeedles(secrets []string) needles {
	n := needles{texts: map[string]struct{}{}}
	for _, secret := range secrets {
		// Messages are made one line before they are shown, and whoever wraps a long value adds white space.
		for _, form := range []string{secret, clean(secret)} {
			n.add(form)
		}
		if joined := strings.Map(dropSpace, secret); len(joined) >= fragmentLength {
			n.add(joined)
		}
	}
	return n
}

// public are words that stand in many values and in many messages. What is a part of one gives nothing away, and messages
// without them could not be understood, nor told apart.
const public = "https:// postgresql:// localhost example.com registry langsmith agentplane workspace specification organization " +
	"deployment deployments environment listener listeners revision revisions integration repository container kubernetes " +
	"namespace variable variables resource database password production development required permission authorization"

func (n *needles) add(secret string) {
	if len(secret) < minSecretLength {
		return
	}
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

// mask goes on until nothing is left to find, because what stands around a replaced text may have hidden another one.
func (n needles) mask(text string) string {
	if len(n.texts) == 0 {
		return text
	}
	if len(text) > maxMasked {
		text = strings.ToValidUTF8(text[:maxMasked], "") + "…"
	}
	for {
		found := n.find(text)
		if len(found) == 0 {
			return text
		}
		text = replaced(text, found)
	}
}

// find gives the places in text of which any decoding shows a needle.
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

// in gives the places in the text that a layer was decoded from.
func (n needles) in(l layer) []span {
	var found []span
	for _, length := range n.lengths {
		if l.joined && length < fragmentLength {
			continue // The end of a word and the beginning of the next one are no short secret.
		}
		for i := 0; i+length <= len(l.text); i++ {
			if _, ok := n.texts[string(l.text[i:i+length])]; ok {
				found = append(found, l.source(i, i+length))
			}
		}
	}
	return found
}

// replaced puts one "***" in the place of all that overlaps or touches.
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

package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// bodyQuestion is a question about the two parts of a body.
type bodyQuestion func(ctx context.Context, post, patch []byte) (bool, error)

func (q bodyQuestion) answer(ctx context.Context, columns []driver.Value) (bool, error) {
	post, err := bodyOf(columns[0])
	patch, unreadable := bodyOf(columns[1])
	if err := errors.Join(err, unreadable); err != nil {
		return false, err
	}
	return q(ctx, post, patch)
}

// bodySays asks whether the values of a body contain one of some texts, or all of them.
func bodySays(texts []string, all bool) bodyQuestion {
	return func(ctx context.Context, post, patch []byte) (bool, error) { return says(ctx, texts, all, post, patch) }
}

// aboutMember asks about a member of a body, as JSON; nil if there is none.
func aboutMember(name string, holds func(ctx context.Context, value []byte) (bool, error)) bodyQuestion {
	return func(ctx context.Context, post, patch []byte) (bool, error) {
		value, err := bodyMember(ctx, post, patch, name)
		if err != nil {
			return false, err
		}
		return holds(ctx, value)
	}
}

// bodyMember returns the latest value of a member of a run, as JSON; nil if there is none.
func bodyMember(ctx context.Context, post, patch []byte, name string) ([]byte, error) {
	value, err := memberOf(ctx, patch, name)
	if err == nil && value == nil {
		return memberOf(ctx, post, name)
	}
	return value, err
}

// bodyMatches asks whether the JSON of a member of a body matches a pattern; without a pattern, whether there is such a member.
func bodyMatches(member filter.Field, pattern *filter.Like) bodyQuestion {
	return aboutMember(string(member), func(_ context.Context, value []byte) (bool, error) {
		return value != nil && (pattern == nil || pattern.Matches(value)), nil
	})
}

// bodyRefers asks whether a member of a body is one of some strings.
func bodyRefers(member string, to []string) bodyQuestion {
	return aboutMember(member, func(_ context.Context, value []byte) (bool, error) {
		is := func(text string) bool { return isText(value, text) }
		return len(value) > 0 && value[0] == '"' && slices.ContainsFunc(to, is), nil
	})
}

// textMatches asks whether a text matches a pattern. No text doesn't.
type textMatches struct{ pattern filter.Like }

func (q textMatches) answer(_ context.Context, columns []driver.Value) (bool, error) {
	text, is := columns[0].(string)
	if !is {
		return false, nil
	}
	return q.pattern.Matches([]byte(text)), nil
}

package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// bodies returns the two parts of a body from its columns.
func bodies(columns []driver.Value) (post, patch []byte, err error) {
	post, err = bodyOf(columns[0])
	patch, unreadable := bodyOf(columns[1])
	return post, patch, errors.Join(err, unreadable)
}

// bodyMember returns the latest value of a member of a run, as JSON; nil if there is none.
func bodyMember(ctx context.Context, post, patch []byte, name string) ([]byte, error) {
	value, err := memberOf(ctx, patch, name)
	if err == nil && value == nil {
		return memberOf(ctx, post, name)
	}
	return value, err
}

// bodySays asks whether the values of a body contain one of some texts, or all of them.
type bodySays struct {
	texts []string
	all   bool
}

func (q bodySays) answer(ctx context.Context, columns []driver.Value) (bool, error) {
	post, patch, err := bodies(columns)
	if err != nil {
		return false, err
	}
	return says(ctx, q.texts, q.all, post, patch)
}

// bodyMatches asks whether the JSON of a member of a body matches a pattern; without a pattern, whether there is such a member.
type bodyMatches struct {
	member  filter.Field
	pattern *filter.Like
}

func (q bodyMatches) answer(ctx context.Context, columns []driver.Value) (bool, error) {
	post, patch, err := bodies(columns)
	if err != nil {
		return false, err
	}
	value, err := bodyMember(ctx, post, patch, string(q.member))
	if err != nil || value == nil || q.pattern == nil {
		return value != nil, err
	}
	return q.pattern.Matches(value), nil
}

// bodyRefers asks whether a member of a body is one of some strings.
type bodyRefers struct {
	member string
	to     []string
}

func (q bodyRefers) answer(ctx context.Context, columns []driver.Value) (bool, error) {
	post, patch, err := bodies(columns)
	if err != nil {
		return false, err
	}
	value, err := bodyMember(ctx, post, patch, q.member)
	if err != nil || len(value) == 0 || value[0] != '"' {
		return false, err
	}
	return slices.ContainsFunc(q.to, func(text string) bool { return isText(value, text) }), nil
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

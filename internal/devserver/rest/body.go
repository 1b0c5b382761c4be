package rest

import (
	"encoding/json"
	"mime"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
)

// DecodeBody is Decode for the service's own endpoints, which treat any other content type as a body that isn't JSON.
func DecodeBody[T any](c *Call) (T, error) {
	contentType := c.Request.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && (err != nil || media != "application/json" && !strings.HasSuffix(media, "+json")) {
		var none T
		return none, refusal.OfFields(api.ValidationError{
			Loc:  []api.LocStep{api.Key("body")},
			Msg:  "Input should be a valid dictionary: send it with Content-Type: application/json",
			Type: "dict_type",
		})
	}
	return Ahead(c, func() (T, error) { return form.Decode[T](c.Body, c.Dialect) })
}

// RefuseFields refuses a body that has one of the given fields, unless it is null, because this server doesn't support them.
func RefuseFields(c *Call, names ...string) error {
	if !c.Dialect.LangSmithAPI {
		return nil // They don't exist.
	}
	body, err := Ahead(c, func() (body map[string]json.RawMessage, _ error) {
		_ = json.Unmarshal(c.Body, &body) // Decoding says what is wrong.
		return body, nil
	})
	if err != nil {
		return err
	}
	var problems []api.ValidationError
	for _, name := range names {
		if value, sent := body[name]; sent && string(value) != "null" {
			problems = append(problems, form.NotSupported([]api.LocStep{api.Key("body"), api.Key(name)}, name))
		}
	}
	if problems != nil {
		return refusal.OfFields(problems...)
	}
	return nil
}

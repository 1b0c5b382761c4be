package rest

import (
	"mime"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// DecodeBody is Decode for the service's own endpoints, which treat any other content type as a body that isn't JSON.
func DecodeBody[T any](c *Call) (T, error) {
	contentType := c.Request.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && (err != nil || media != "application/json" && !strings.HasSuffix(media, "+json")) {
		var none T
		return none, form.OfFields(api.ValidationError{
			Loc:  []api.LocStep{api.Key("body")},
			Msg:  "Input should be a valid dictionary: send it with Content-Type: application/json",
			Type: "dict_type",
		})
	}
	return Ahead(c, func() (T, error) { return form.Decode[T](c.Body, c.Dialect) })
}

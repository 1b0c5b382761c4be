package pages

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// maxForm is the maximum size in bytes of a form.
const maxForm = 64 << 10

// crossOrigin detects forms of other websites, to which a browser would also add the stored key.
var crossOrigin = http.NewCrossOriginProtection()

// readForm reads a form of a page of this server. To another website it says what can't be done from there.
func (s *Service) readForm(w http.ResponseWriter, r *http.Request, cannot string) error {
	if crossOrigin.Check(r) != nil {
		return form.Refuse(form.Forbidden, "%s from another website. Use the button on this server's page.", cannot)
	}
	s.rest.ExpectBody(w, r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil {
		return form.Broken("The form is invalid.")
	}
	return nil
}

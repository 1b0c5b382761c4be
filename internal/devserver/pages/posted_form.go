package pages

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// posted makes the change that a form of a page asks for, and sends the browser to the page that the change returns. To another website it
// says what can't be done from there.
func (s *Service) posted(cannot string, change func(c *rest.Call, frame web.Frame) (back string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		frame, workspaceID, err := s.frame(r)
		if err == nil {
			err = s.readForm(w, r, cannot)
		}
		var back string
		if err == nil {
			err = s.rest.Outside(r, workspaceID, s.user(r)).Do(r.Context(), func(c *rest.Call) (err error) {
				back, err = change(c, frame)
				return err
			})
		}
		if err == nil {
			err = s.rest.ShowAll(r.Context())
		}
		if err != nil {
			s.errorPage(w, r, frame, err)
			return
		}
		http.Redirect(w, r, back, http.StatusSeeOther)
	}
}

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

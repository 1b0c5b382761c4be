package controlplane

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// installationPage is a page of a list in version 2 of integrations.
type installationPage[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// pageAt reads the page of a request: a cursor is the number of items before it.
func pageAt(p *rest.Params) store.Page {
	return store.Page{Limit: p.Integer("page_size", 20, 1, limits.Page), Offset: p.Integer("cursor", 0, 0, 0)}
}

func newInstallationPage[T any](all []T, at store.Page) installationPage[T] {
	page := installationPage[T]{Items: store.Window(all, at)}
	if end := at.Offset + len(page.Items); end < len(all) && len(page.Items) > 0 {
		page.NextCursor = new(strconv.Itoa(end))
	}
	return page
}

// listInstallations lists the integrations of one of the git host's apps.
func listInstallations(forge bool) rest.Handler {
	return func(c *rest.Call) (rest.Answer, error) {
		p := c.Params()
		at := pageAt(p)
		if err := p.Err(); err != nil {
			return rest.Answer{}, err
		}
		rows, err := c.Tx.Integrations(c.WorkspaceID, forge)
		return rest.OK(newInstallationPage(form.Collect(rows, newIntegration), at)), err
	}
}

func listInstallationRepositories(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	at := pageAt(p)
	rows, err := repositoriesOf(c, p, false)
	return rest.OK(newInstallationPage(form.Collect(rows, newRepository), at)), err
}

// installation is what a link to install an app, or a picker session, is for. Its URL has it sealed, so that any server with the same key can
// open it.
type installation struct {
	WorkspaceID string
	Forge       bool
	// Install means that following the link installs the app. Otherwise, it leads to a picker session, like the service's login of forge.
	Install   bool
	ReturnTo  string
	ExpiresAt time.Time
}

const (
	// installLinks is where links lead, in place of the git host.
	installLinks   = "/install-links"
	integrationsUI = "/ui/integrations"
	// pickable is the number of the made-up installation of forge that every user may choose.
	pickable     = 1_000_000
	pickableName = "picked-org"
)

// open opens a link or a session.
func (s *Service) open(c *rest.Call, sealed string) (i installation, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		var text string
		if text, err = s.cfg.Key.Open(seal.InstallLink, raw); err == nil {
			err = json.Unmarshal([]byte(text), &i)
		}
	}
	if err != nil || !c.Now.Before(i.ExpiresAt) {
		return i, errUnknownLink()
	}
	return i, nil
}

func errUnknownLink() error {
	return form.Missing("The link or the session is unknown, or has expired: request another link.")
}

func (s *Service) link(c *rest.Call, i installation) (string, error) {
	i.ExpiresAt = c.Now.Add(limits.InstallationTime)
	text, err := json.Marshal(i)
	sealed := s.cfg.Key.Seal(seal.InstallLink, string(text))
	return rest.ClientURL(c.Request) + installLinks + "/" + base64.RawURLEncoding.EncodeToString(sealed), err
}

type installLink struct {
	InstallURL    string  `json:"install_url"`
	OAuthReuseURL *string `json:"oauth_reuse_url"`
}

func (s *Service) createInstallLink(c *rest.Call) (rest.Answer, error) {
	at, err := s.link(c, installation{WorkspaceID: c.WorkspaceID, Install: true})
	return rest.OK(installLink{InstallURL: at}), err
}

// forgeLinkRequest is a body that may be absent or null.
type forgeLinkRequest struct {
	ReturnTo api.Optional[string] `json:"return_to,omitzero"`
}

func (s *Service) createForgeLink(c *rest.Call) (rest.Answer, error) {
	var request forgeLinkRequest
	if body := bytes.TrimSpace(c.Body); len(body) > 0 && string(body) != "null" {
		var err error
		if request, err = rest.DecodeBody[forgeLinkRequest](c); err != nil {
			return rest.Answer{}, err
		}
	}
	returnTo := api.OrEmpty(request.ReturnTo.Value)
	if returnTo != "" && !webURL.MatchString(returnTo) {
		return rest.Answer{}, form.Problem(form.Body("return_to"), "url_parsing", "Input should be a valid URL")
	}
	at, err := s.link(c, installation{WorkspaceID: c.WorkspaceID, Forge: true, ReturnTo: returnTo})
	return rest.OK(struct {
		InstallURL string `json:"install_url"`
	}{at}), err
}

// followLink does what a user would do at the git host.
func (s *Service) followLink(c *rest.Call) (rest.Answer, error) {
	i, err := s.open(c, c.Request.PathValue("link"))
	if err != nil {
		return rest.Answer{}, err
	}
	c.WorkspaceID = i.WorkspaceID
	to := i.returnTo(c)
	switch {
	case !i.Install:
		to, err = withSession(to, c.Request.PathValue("link"))
	case i.Forge:
		_, err = ensureIntegration(c, integrationRequest{Name: "forge-org", Forge: api.Some(true)})
	default:
		_, err = ensureIntegration(c, integrationRequest{Name: "installed-org"})
	}
	return rest.Answer{Status: http.StatusSeeOther, Header: http.Header{"Location": {to}}}, err
}

// withSession is the page to which the service would return from a login.
func withSession(to, session string) (string, error) {
	page, err := url.Parse(to)
	if err != nil {
		return "", form.Broken("There is no page to return to: %s", err)
	}
	query := page.Query()
	query.Set("session_id", session)
	page.RawQuery = query.Encode()
	return page.String(), nil
}

func (i installation) returnTo(c *rest.Call) string {
	if i.ReturnTo != "" {
		return i.ReturnTo
	}
	return rest.BaseURL(c.Request) + integrationsUI
}

type pickerSession struct {
	Installs []pickerOption `json:"installs"`
	ReturnTo *string        `json:"return_to"`
}

type pickerOption struct {
	InstallationID int64  `json:"installation_id"`
	AccountLogin   string `json:"account_login"`
	AccountType    string `json:"account_type"`
	AlreadyInOrg   bool   `json:"already_in_org"`
}

// picker opens a session of the workspace, with the installations between which its user can choose.
func (s *Service) picker(c *rest.Call) (installation, []pickerOption, error) {
	i, err := s.open(c, c.Request.PathValue("session_id"))
	if err == nil && (i.WorkspaceID != c.WorkspaceID || i.Install) {
		err = errUnknownLink()
	}
	if err != nil {
		return i, nil, err
	}
	rows, err := c.Tx.Integrations(c.WorkspaceID, true)
	options := form.Collect(rows, func(row store.Integration) pickerOption {
		return pickerOption{row.InstallationID, row.Name, "Organization", true}
	})
	if !slices.ContainsFunc(options, func(o pickerOption) bool { return o.InstallationID == pickable }) {
		options = append(options, pickerOption{pickable, pickableName, "Organization", false})
	}
	return i, options, err
}

func (s *Service) getPickerSession(c *rest.Call) (rest.Answer, error) {
	i, options, err := s.picker(c)
	return rest.OK(pickerSession{options, api.NonEmpty(i.ReturnTo)}), err
}

// The actions of a picker session.
const (
	pickAttach     = "ATTACH"
	pickInstallNew = "INSTALL_NEW"
)

type pickerSelection struct {
	Action         string              `json:"action"`
	InstallationID api.Optional[int64] `json:"installation_id,omitzero"`
}

// selectInstallation attaches an installation to the workspace, or answers with a link to a new one.
func (s *Service) selectInstallation(c *rest.Call, request pickerSelection) (rest.Answer, error) {
	var v form.Validator
	v.Choice(&request.Action, []string{pickAttach, pickInstallNew}, form.Body("action"))
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	i, options, err := s.picker(c)
	if err != nil {
		return rest.Answer{}, err
	}
	to := i.returnTo(c)
	if request.Action == pickInstallNew {
		to, err = s.link(c, installation{WorkspaceID: i.WorkspaceID, Forge: true, Install: true, ReturnTo: i.ReturnTo})
	} else {
		chosen := request.InstallationID.Value
		at := slices.IndexFunc(options, func(o pickerOption) bool { return chosen != nil && *chosen == o.InstallationID })
		switch {
		case at < 0:
			return rest.Answer{}, form.Broken("'installation_id' must be one of the session's installations.")
		case !options[at].AlreadyInOrg:
			_, err = ensureIntegration(c, integrationRequest{Name: pickableName, Forge: api.Some(true), InstallationID: api.Some[int64](pickable)})
		}
	}
	return rest.OK(struct {
		RedirectURL string `json:"redirect_url"`
	}{to}), err
}

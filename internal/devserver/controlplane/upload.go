package controlplane

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

type pushToken struct {
	Token       string `json:"token"`
	RegistryURL string `json:"registry_url"`
}

// createPushToken returns credentials for docker login. The registry decides whether to check them.
func (s *Service) createPushToken(_ *rest.Call, row store.Deployment) (rest.Answer, error) {
	if row.Source != string(api.SourceInternalContainer) {
		return rest.Answer{}, form.Broken("push token is only available for 'internal_container' source deployments")
	}
	if s.cfg.Registry == "" {
		return rest.Answer{}, form.Broken("The dev server has no registry: start one, such as the image registry:2, and the dev server with -registry HOST:PORT.")
	}
	return rest.OK(pushToken{Token: uuid.NewString(), RegistryURL: s.cfg.Registry + "/" + row.ID}), nil
}

type uploadURL struct {
	UploadURL  string `json:"upload_url"`
	ObjectPath string `json:"object_path"`
}

// uploads is where archives are uploaded. It stands for the storage of the service's cloud.
const uploads = "/uploads"

// createUploadURL returns a URL at which this server, or another one with the same data, takes an archive without a key.
func createUploadURL(c *rest.Call, row store.Deployment) (rest.Answer, error) {
	if row.Source != string(api.SourceInternalSource) {
		return rest.Answer{}, form.Broken("upload url is only available for 'internal_source' source deployments")
	}
	u := store.Upload{
		Path: row.ID + "/" + uuid.NewString() + ".tar.gz", DeploymentID: row.ID, Token: rand.Text(), ExpiresAt: c.Now.Add(limits.TarballTime),
	}
	at := rest.ClientURL(c.Request) + uploads + "/" + u.Path + "?" + url.Values{"token": {u.Token}}.Encode()
	return rest.OK(uploadURL{UploadURL: at, ObjectPath: u.Path}), c.Tx.InsertUpload(u, c.Now)
}

// receiveUpload reads an archive. Nothing is built here, so only its size and its digest are kept.
func (s *Service) receiveUpload(r *http.Request, _ string) (rest.Answer, error) {
	path := r.PathValue("deployment_id") + "/" + r.PathValue("archive")
	if err := s.cfg.Store.Read(r.Context(), func(tx *store.Tx) error { return s.checkUpload(tx, path, r.URL.Query().Get("token")) }); err != nil {
		return rest.Answer{}, err
	}
	digest := sha256.New()
	size, err := io.Copy(digest, io.LimitReader(r.Body, limits.Tarball+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return rest.Answer{}, form.Refuse(form.TooLate, "The archive did not arrive within %s.", limits.BodyTime)
	case err != nil:
		return rest.Answer{}, form.Broken("There was an error reading the archive: %s", err)
	case size > limits.Tarball:
		return rest.Answer{}, form.Refuse(form.TooLarge, "The archive is larger than %d bytes.", limits.Tarball)
	}
	err = s.cfg.Store.Do(r.Context(), func(tx *store.Tx) error {
		err := tx.FinishUpload(path, size, hex.EncodeToString(digest.Sum(nil)))
		return rest.OrMissing(err, noUpload, path)
	})
	return rest.Answer{Status: http.StatusOK}, err
}

// checkUpload refuses an upload with another token than that of the URL, or too late.
func (s *Service) checkUpload(tx *store.Tx, path, token string) error {
	u, err := tx.Upload(path)
	switch {
	case err != nil:
		return rest.OrMissing(err, noUpload, path)
	case subtle.ConstantTimeCompare([]byte(token), []byte(u.Token)) == 0 || !s.cfg.Now().Before(u.ExpiresAt):
		return form.Refuse(form.Forbidden, "The upload URL is not valid, or no longer: request another one.")
	}
	return nil
}

const noUpload = "Upload %s not found."

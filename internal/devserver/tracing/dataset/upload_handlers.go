package dataset

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// uploadAnswer lists what was uploaded, and the version of the dataset that has it.
type uploadAnswer struct {
	Count      int      `json:"count"`
	ExampleIDs []string `json:"example_ids"`
	AsOf       string   `json:"as_of"`
}

// upload stores all examples of a form, or none. A POST creates them, and a PATCH changes them, or moves them into the dataset.
func (s *Service) upload(r *http.Request, workspaceID string) (rest.Answer, error) {
	datasetID, err := uuid.Parse(r.PathValue("dataset_id"))
	if err != nil {
		return rest.Answer{}, form.OfFields(form.NotUUID([]api.LocStep{api.Key("path"), api.Key("dataset_id")}, err))
	}
	share := s.memory.Share(workspaceID, limits.Runs)
	defer share.Release()
	body, err := ingest.Body(r.Header.Get("Content-Encoding"), r.Body, limits.Upload)
	if err != nil {
		return rest.Answer{}, refused(err)
	}
	defer body.Close()
	requests, err := readForm(r.Header.Get("Content-Type"), body, share)
	if err != nil {
		return rest.Answer{}, refused(err)
	}
	answer := uploadAnswer{Count: len(requests), ExampleIDs: make([]string, len(requests))}
	err = s.store.Do(r.Context(), func(tx *store.Tx) error {
		now, rows := s.now(), make([]store.Example, len(requests))
		for i, request := range requests {
			request.DatasetID = new(api.UUID(datasetID.String()))
			answer.ExampleIDs[i] = string(*request.ID)
			var err error
			if r.Method == http.MethodPatch {
				rows[i], err = ReadExample(tx, workspaceID, answer.ExampleIDs[i])
			} else {
				rows[i], err = request.newRow(workspaceID, now)
			}
			if err == nil {
				err = request.apply(&rows[i], now)
			}
			if err != nil {
				return err
			}
		}
		answer.AsOf = form.DateTime(now)
		return s.save(tx, workspaceID, datasetID.String(), rows, now)
	})
	return rest.Answer{Status: http.StatusCreated, Body: answer}, err
}

// refused returns the refusal of a form that could not be read. Other errors are unchanged.
func refused(err error) error {
	if known, is := errors.AsType[*ingest.Error](err); is {
		return form.Refuse(known.Kind, "%s", known.Problem)
	}
	return err
}

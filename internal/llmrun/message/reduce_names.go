package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

func isNullOrAbsent(raw json.RawMessage) bool { return rawjson.IsNullOrAbsent(raw) }

func allObjects(list []json.RawMessage) bool { return rawjson.AllObjects(list) }

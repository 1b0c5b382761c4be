package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Names that the reducers of streams share with the other packages.
const (
	FormatChatCompletions = document.FormatChatCompletions
	FormatMessages        = document.FormatMessages
	FormatResponses       = document.FormatResponses
	FormatUnrecognized    = document.FormatUnrecognized
	RoleAssistant         = document.RoleAssistant
	BlockText             = document.BlockText
	Outputs               = document.Outputs

	keyError       = part.KeyError
	kindThinking   = part.KindThinking
	kindToolUse    = part.KindToolUse
	kindOutputText = part.KindOutputText

	kindFunctionCall = part.KindFunctionCall
	kindCustomCall   = part.KindCustomCall
	kindMCPCall      = part.KindMCPCall
	suffixCall       = part.SuffixCall
	summaryText      = part.SummaryText
	reasoningText    = part.ReasoningText
)

// Format is a family of shapes of a run's inputs or outputs.
type Format = document.Format

func isNullOrAbsent(raw json.RawMessage) bool { return rawjson.IsNullOrAbsent(raw) }

func allObjects(list []json.RawMessage) bool { return rawjson.AllObjects(list) }

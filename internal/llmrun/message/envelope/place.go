package envelope

import (
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Place is the location of a message. Some envelopes have its role and content outside of an object.
type Place struct {
	Base          string
	role, content string
}

// Member returns the pointer of a member of the message.
func (p Place) Member(key string) string {
	switch {
	case key == "role" && p.role != "":
		return p.role
	case key == "content" && p.content != "":
		return p.content
	default:
		return p.Base + rawjson.Pointer(key)
	}
}

// Place finds the message with an index in its envelope.
func (e Envelope) Place(prefix string, i int) Place {
	key, shape, wrapped := CutShape(e.Shape)
	if wrapped {
		prefix += rawjson.Pointer(key)
	}
	index := "/" + strconv.Itoa(i)
	switch shape {
	case document.ShapeList:
		return Place{Base: prefix + index}
	case document.ShapePair:
		return Place{Base: prefix, role: prefix + "/0", content: prefix + "/1"}
	case document.ShapeBare:
		return Place{Base: prefix}
	case document.ShapePrompt:
		if i < len(e.Messages)-1 {
			return Place{Base: prefix, content: prefix + "/system"}
		}
		return Place{Base: prefix, content: prefix + "/prompt"}
	case document.ShapeResponse:
		return Place{Base: prefix, content: prefix + "/response"}
	case document.ShapeMessage:
		return Place{Base: prefix + "/message"}
	case document.ShapeChoices:
		return Place{Base: prefix + "/choices" + index + "/message"}
	case document.ShapeCompletion:
		return Place{Base: prefix + "/choices" + index, content: prefix + "/choices" + index + "/text"}
	default:
		return Place{Base: prefix + "/messages" + index}
	}
}

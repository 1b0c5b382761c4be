package message

import (
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// place is the location of a message. Some envelopes have its role and content outside of an object.
type place struct {
	base          string
	role, content string
}

// member returns the pointer of a member of the message.
func (p place) member(key string) string {
	switch {
	case key == "role" && p.role != "":
		return p.role
	case key == "content" && p.content != "":
		return p.content
	default:
		return p.base + rawjson.Pointer(key)
	}
}

// place finds the message with an index in its envelope.
func (e envelope) place(prefix string, i int) place {
	key, shape, wrapped := cutShape(e.shape)
	if wrapped {
		prefix += rawjson.Pointer(key)
	}
	index := "/" + strconv.Itoa(i)
	switch shape {
	case shapeList:
		return place{base: prefix + index}
	case shapePair:
		return place{base: prefix, role: prefix + "/0", content: prefix + "/1"}
	case shapeBare:
		return place{base: prefix}
	case shapePrompt:
		if i < len(e.messages)-1 {
			return place{base: prefix, content: prefix + "/system"}
		}
		return place{base: prefix, content: prefix + "/prompt"}
	case shapeResponse:
		return place{base: prefix, content: prefix + "/response"}
	case shapeMessage:
		return place{base: prefix + "/message"}
	case shapeChoices:
		return place{base: prefix + "/choices" + index + "/message"}
	case shapeCompletion:
		return place{base: prefix + "/choices" + index, content: prefix + "/choices" + index + "/text"}
	default:
		return place{base: prefix + "/messages" + index}
	}
}

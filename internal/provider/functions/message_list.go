package functions

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// messageList is a list of messages that is made for the wire at once. A list of the framework would check every member of
// every block and be converted afterwards, which takes longer than reading the messages.
type messageList struct{ value tftypes.Value }

var _ attr.Value = messageList{}

// The types on the wire.
var (
	wireBlock    = blockType.TerraformType(context.Background())
	wireBlocks   = tftypes.List{ElementType: wireBlock}
	wireMessage  = messageType.TerraformType(context.Background())
	wireMessages = tftypes.List{ElementType: wireMessage}
	wireNull     = tftypes.NewValue(tftypes.String, nil)
)

func newMessageList(messages []document.Message) messageList {
	values := make([]tftypes.Value, len(messages))
	for i := range messages {
		values[i] = messageValue(&messages[i])
	}
	return messageList{tftypes.NewValue(wireMessages, values)}
}

func messageValue(m *document.Message) tftypes.Value {
	content := make([]tftypes.Value, len(m.Content))
	for i := range m.Content {
		content[i] = blockValue(&m.Content[i])
	}
	return tftypes.NewValue(wireMessage, map[string]tftypes.Value{
		"role": wireWord(m.Role), "text": wireText(m.Text()),
		"tool_call_id": wirePointer(m.ToolCallID), "content": tftypes.NewValue(wireBlocks, content),
	})
}

func blockValue(b *document.Block) tftypes.Value {
	return tftypes.NewValue(wireBlock, map[string]tftypes.Value{
		"type": wireWord(b.Type), "text": wirePointer(b.Text), "url": wirePointer(b.URL), "base64": wirePointer(b.Base64),
		"id": wirePointer(b.ID), "mime_type": wirePointer(b.MimeType), "name": wirePointer(b.Name), "args_json": wireRaw(b.Args),
		"tool_call_id": wirePointer(b.ToolCallID), "status": wirePointer(b.Status), "output_json": wireRaw(b.Output),
	})
}

func wireText(text string) tftypes.Value { return tftypes.NewValue(tftypes.String, text) }

func wirePointer(text *string) tftypes.Value {
	if text == nil {
		return wireNull
	}
	return wireText(*text)
}

// wireWord is null for an empty text.
func wireWord(text string) tftypes.Value {
	if text == "" {
		return wireNull
	}
	return wireText(text)
}

func wireRaw(raw json.RawMessage) tftypes.Value {
	if raw == nil {
		return wireNull
	}
	return wireText(string(raw))
}

func (messageList) Type(context.Context) attr.Type { return types.ListType{ElemType: messageType} }

func (l messageList) ToTerraformValue(context.Context) (tftypes.Value, error) { return l.value, nil }

func (l messageList) Equal(other attr.Value) bool {
	list, ok := other.(messageList)
	return ok && l.value.Equal(list.value)
}

func (messageList) IsNull() bool { return false }

func (messageList) IsUnknown() bool { return false }

func (l messageList) String() string { return l.value.String() }

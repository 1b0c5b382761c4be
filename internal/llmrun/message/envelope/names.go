package envelope

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// ChatRoles maps the roles of chat completions to different names in the normal form.
var ChatRoles = map[string]string{
	"developer": document.RoleSystem, "function": document.RoleTool,
	// Other providers with the same format, and frameworks, use their own names.
	"model": document.RoleAssistant, "ai": document.RoleAssistant, "human": document.RoleUser,
}

// TypeRoles maps the types of messages written as {"type","content",…} to roles.
var TypeRoles = map[string]string{
	"system": document.RoleSystem, "human": document.RoleUser, "ai": document.RoleAssistant, "tool": document.RoleTool, "function": document.RoleTool,
	"AIMessageChunk": document.RoleAssistant, "HumanMessageChunk": document.RoleUser, "SystemMessageChunk": document.RoleSystem,
	"ToolMessageChunk": document.RoleTool,
}

// MessageTypes are the types of TypeRoles, and "chat", whose role is a separate member.
var MessageTypes = func() map[string]bool {
	types := map[string]bool{"chat": true}
	for kind := range TypeRoles {
		types[kind] = true
	}
	return types
}()

// ReasoningKeys are the members for the reasoning before an answer, by provider. Some gateways set two to the same text.
var ReasoningKeys = []string{"reasoning_content", "reasoning", "thinking", "tool_plan"}

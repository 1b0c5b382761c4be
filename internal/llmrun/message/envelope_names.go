package message

// chatRoles maps the roles of chat completions to different names in the normal form.
var chatRoles = map[string]string{
	"developer": RoleSystem, "function": RoleTool,
	// Other providers with the same format, and frameworks, use their own names.
	"model": RoleAssistant, "ai": RoleAssistant, "human": RoleUser,
}

// typeRoles maps the types of messages written as {"type","content",…} to roles.
var typeRoles = map[string]string{
	"system": RoleSystem, "human": RoleUser, "ai": RoleAssistant, "tool": RoleTool, "function": RoleTool,
	"AIMessageChunk": RoleAssistant, "HumanMessageChunk": RoleUser, "SystemMessageChunk": RoleSystem, "ToolMessageChunk": RoleTool,
}

// messageTypes are the types of typeRoles, and "chat", whose role is a separate member.
var messageTypes = func() map[string]bool {
	types := map[string]bool{"chat": true}
	for kind := range typeRoles {
		types[kind] = true
	}
	return types
}()

// reasoningKeys are the members for the reasoning before an answer, by provider. Some gateways set two to the same text.
var reasoningKeys = []string{"reasoning_content", "reasoning", "thinking", "tool_plan"}

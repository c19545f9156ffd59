package openapi

import "slices"

// firstOperations are those of the first specification of the API, in its order.
var firstOperations = []string{
	"createScheduledMessage", "updateMessage", "subscribe", "setTypingStatus", "updateUserGroup", "setTopicPolicy",
	"getMessage", "registerPushDevice", "updateMessageFlagsInNarrow", "createInviteLink", "createDraft",
	"reportMessage", "addReaction", "getTopics", "updateUserGroupMembers", "updateNavigationView",
	"createNavigationView", "addRealmDomain", "getLinkifiers", "deleteAttachment", "uploadFile",
}

// numberOf returns the number of an operation in the first specification; 0: none.
func numberOf(id string) int { return slices.Index(firstOperations, id) + 1 }
